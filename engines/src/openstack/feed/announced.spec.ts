import { expect, test } from 'vitest'
import { rowsAnnounced } from './announced'
import { readNotification } from './notification'

/*
 * Notifications as sent by the services in the Zed release, without the fields that are not read. Nova sends versioned
 * notifications to `versioned_notifications.info`; all others go to `notifications.info`.
 */
const bare = (event_type: string, payload: unknown, more: object = {}): object => ({
  message_id: 'b6a7ff2c-5f44-4ea5-9b3d-2c3f0a1ad2f4',
  publisher_id: 'service.host',
  event_type,
  priority: 'INFO',
  payload,
  timestamp: '2026-11-21 20:10:11.123456',
  _unique_id: 'd2b7',
  ...more,
})
const enveloped = (message: object): object => ({ 'oslo.version': '2.0', 'oslo.message': JSON.stringify(message) })
const bytes = (message: unknown): Buffer => Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))

const announcedBy = (message: unknown): string[] | null => {
  const notification = readNotification(bytes(message))
  return notification && rowsAnnounced(notification).map(({ kind, id }) => `${kind} ${id}`)
}

const versionedInstance = bare(
  'instance.update',
  {
    'nova_object.name': 'InstanceUpdatePayload',
    'nova_object.namespace': 'nova',
    'nova_object.version': '2.0',
    'nova_object.data': {
      uuid: 'i1',
      display_name: 'web',
      state: 'active',
      task_state: 'powering-off',
      tenant_id: 'p1',
      state_update: {
        'nova_object.name': 'InstanceStateUpdatePayload',
        'nova_object.data': { state: 'active', old_task_state: null, new_task_state: 'powering-off' },
        'nova_object.version': '1.0',
        'nova_object.namespace': 'nova',
      },
    },
  },
  { publisher_id: 'nova-compute:host' },
)

test('reads versioned and unversioned instance notifications in both envelope formats', () => {
  const older = bare('compute.instance.update', { instance_id: 'i1', state: 'active', new_task_state: 'powering-off' })
  for (const message of [versionedInstance, older]) {
    expect(announcedBy(message)).toEqual(['server i1'])
    expect(announcedBy(enveloped(message))).toEqual(['server i1'])
  }
})

test('ignores notifications about the start of an operation', () => {
  expect(announcedBy(enveloped(bare('compute.instance.power_off.start', { instance_id: 'i1' })))).toEqual([])
  expect(announcedBy(enveloped(bare('port.create.start', { port: { network_id: 'n1' } })))).toEqual([])
})

test('refreshes a volume together with its instance when it is attached or resized', () => {
  const attached = bare('instance.volume_attach.end', {
    'nova_object.name': 'InstanceActionVolumePayload',
    'nova_object.data': { uuid: 'i1', volume_id: 'v1' },
  })
  expect(announcedBy(enveloped(attached))).toEqual(['server i1', 'volume v1'])
  const resized = bare('volume.resize.end', {
    volume_id: 'v1',
    tenant_id: 'p1',
    status: 'in-use',
    size: 2,
    volume_attachment: [
      { id: 'a1', volume_id: 'v1', instance_uuid: 'i1', attach_status: 'attached' },
      { id: 'a2', volume_id: 'v1', instance_uuid: null, attach_status: 'reserved' },
    ],
  })
  expect(announcedBy(enveloped(resized))).toEqual(['volume v1', 'server i1'])
})

test('refreshes a snapshot when it is created or deleted', () => {
  const payload = { snapshot_id: 's1', volume_id: 'v1', tenant_id: 'p1', status: 'creating', volume_size: 2 }
  expect(announcedBy(enveloped(bare('snapshot.create.start', payload)))).toEqual([])
  for (const event of ['snapshot.create.end', 'snapshot.delete.end', 'snapshot.reset_status.end'])
    expect(announcedBy(enveloped(bare(event, payload)))).toEqual(['volume_snapshot s1'])
})

test('refreshes a recovery point when it is created, restored or deleted', () => {
  const payload = { backup_id: 'b1', volume_id: 'v1', tenant_id: 'p1', status: 'available', size: 2 }
  expect(announcedBy(enveloped(bare('backup.create.start', payload)))).toEqual([])
  for (const event of ['backup.create.end', 'backup.restore.end', 'backup.delete.end'])
    expect(announcedBy(enveloped(bare(event, payload)))).toEqual(['volume_backup b1'])
})

test('refreshes the owner and the security groups of a port with it', () => {
  const port = { id: 'pt1', device_id: 'i1', device_owner: 'compute:nova', network_id: 'n1', security_groups: ['g1'] }
  const told = ['port pt1', 'server i1', 'security_group g1']
  expect(announcedBy(enveloped(bare('port.update.end', { port })))).toEqual(told)
  expect(announcedBy(enveloped(bare('port.delete.end', { port, port_id: 'pt1' })))).toEqual(told)
  expect(announcedBy(enveloped(bare('port.delete.end', { port_id: 'pt1' })))).toEqual(['port pt1'])
  const other = { ...port, id: 'pt2', device_id: 'i2' }
  expect(announcedBy(enveloped(bare('port.create.end', { ports: [port, other] })))).toEqual([
    ...told,
    'port pt2',
    'server i2',
  ])
  const of = (device_owner: string) => ({ id: 'pt1', device_id: 'd1', device_owner })
  const announced = (device_owner: string) =>
    announcedBy(enveloped(bare('port.update.end', { port: of(device_owner) })))
  expect(announced('network:router_interface')).toEqual(['port pt1', 'router d1'])
  expect(announced('network:floatingip')).toEqual(['port pt1', 'floating_ip d1'])
  expect(announced('network:dhcp')).toEqual(['port pt1'])
})

test('refreshes the ports of routers and floating IPs with them', () => {
  expect(announcedBy(enveloped(bare('router.update.end', { router: { id: 'r1' } })))).toEqual(['router r1'])
  expect(announcedBy(enveloped(bare('router.delete.end', { router_id: 'r1' })))).toEqual(['router r1'])
  const router_interface = { id: 'r1', port_id: 'pt1', subnet_id: 's1' }
  for (const event of ['router.interface.create', 'router.interface.delete'])
    expect(announcedBy(enveloped(bare(event, { router_interface })))).toEqual(['router r1', 'port pt1'])
  const floatingip = { id: 'f1', port_id: 'pt1' }
  expect(announcedBy(enveloped(bare('floatingip.update.end', { floatingip })))).toEqual(['floating_ip f1', 'port pt1'])
  expect(announcedBy(enveloped(bare('floatingip.delete.end', { floatingip_id: 'f1' })))).toEqual(['floating_ip f1'])
})

test('refreshes security groups with their rules, and networks with their policies', () => {
  const security_group_rule = { id: 'u1', security_group_id: 'g1' }
  expect(announcedBy(enveloped(bare('security_group_rule.create.end', { security_group_rule })))).toEqual([
    'security_group_rule u1',
    'security_group g1',
  ])
  expect(announcedBy(enveloped(bare('security_group_rule.delete.end', { security_group_rule_id: 'u1' })))).toEqual([
    'security_group_rule u1',
    'security_group null',
  ])
  expect(announcedBy(enveloped(bare('security_group.update.end', { security_group: { id: 'g1' } })))).toEqual([
    'security_group g1',
  ])
  // the rules are deleted with the group
  expect(announcedBy(enveloped(bare('security_group.delete.end', { security_group_id: 'g1' })))).toEqual([
    'security_group g1',
    'security_group_rule null',
  ])
  const rbac_policy = { id: 'b1', object_type: 'network', object_id: 'n1' }
  expect(announcedBy(enveloped(bare('rbac_policy.create.end', { rbac_policy })))).toEqual(['network n1', 'subnet null'])
  expect(announcedBy(enveloped(bare('rbac_policy.delete.end', { rbac_policy_id: 'b1' })))).toEqual([
    'network null',
    'subnet null',
  ])
  const other = { ...rbac_policy, object_type: 'qos_policy' }
  expect(announcedBy(enveloped(bare('rbac_policy.create.end', { rbac_policy: other })))).toEqual([])
})

test('refreshes networks and subnets when they are created, changed or deleted', () => {
  expect(announcedBy(enveloped(bare('network.create.end', { network: { id: 'n1', subnets: [] } })))).toEqual([
    'network n1',
  ])
  const subnet = { id: 's1', network_id: 'n1' }
  expect(announcedBy(enveloped(bare('subnet.update.end', { subnet })))).toEqual(['subnet s1', 'network n1'])
  expect(announcedBy(enveloped(bare('subnet.delete.end', { subnet, subnet_id: 's1' })))).toEqual([
    'subnet s1',
    'network n1',
  ])
  // the subnets are deleted with the network, without notifications
  expect(announcedBy(enveloped(bare('network.delete.end', { network: {}, network_id: 'n1' })))).toEqual([
    'network n1',
    'subnet null',
  ])
})

test('refreshes images, flavors and keys', () => {
  expect(announcedBy(enveloped(bare('image.activate', { id: 'm1', status: 'active' })))).toEqual(['image m1'])
  expect(announcedBy(enveloped(bare('image.member.create', { image_id: 'm1', member_id: 'p2' })))).toEqual(['image m1'])
  const flavor = bare('flavor.update', {
    'nova_object.name': 'FlavorPayload',
    'nova_object.data': { flavorid: 'f1', name: 'small' },
  })
  expect(announcedBy(enveloped(flavor))).toEqual(['flavor f1'])
  const key = bare('keypair.delete.end', {
    'nova_object.name': 'KeypairPayload',
    'nova_object.data': { user_id: 'u1', name: 'laptop' },
  })
  expect(announcedBy(enveloped(key))).toEqual(['key u1~laptop'])
  expect(announcedBy(bare('keypair.import.end', { user_id: 'u1', tenant_id: 'u1', key_name: 'laptop' }))).toEqual([
    'key u1~laptop',
  ])
})

test('ignores invalid notifications, and those about objects that are not indexed', () => {
  expect(announcedBy('{"half": ')).toBeNull()
  expect(announcedBy('<html></html>')).toBeNull()
  expect(announcedBy({ 'oslo.version': '2.0', 'oslo.message': '{' })).toBeNull()
  expect(announcedBy({ some: 'thing' })).toBeNull()
  expect(announcedBy(enveloped(bare('image.upload', 'Error in store configuration')))).toEqual([])
  expect(announcedBy(enveloped(bare('scheduler.select_destinations.end', { instance_id: 'i1' })))).toEqual([])
  expect(announcedBy(enveloped(bare('compute.instance.update', { instance_id: 7 })))).toEqual([])
  expect(announcedBy(enveloped(bare('constructor', {})))).toEqual([])
})
