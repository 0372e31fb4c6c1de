import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberOf, openSimulatedCloud, type SimulatedCloud } from '../testing/embedded-cloud'
import { defaultNetworkId } from './default-network'
import { answerMetadata } from './metadata'

let cloud: SimulatedCloud
let guest: Instance
beforeAll(async () => {
  cloud = await openSimulatedCloud()
  const scope = memberOf('ours')
  await cloud.compute.sshKeys.create(scope, {
    name: 'laptop',
    description: '',
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@laptop',
  })
  const draft = InstanceDraft.parse({
    ...{ name: 'Web 1', flavor: 's1.nano', volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
    ...{ networks: [{ id: defaultNetworkId }], key_name: 'laptop', metadata: { role: 'shop' } },
    user_data: Buffer.from('#cloud-config\n{}\n').toString('base64'),
  })
  const [row] = await cloud.compute.instances.create(scope, draft)
  await cloud.server.idle()
  guest = cloud.memory.get<Instance>('server', row!.id)!
})
afterAll(() => cloud.close())

const ask = (path: string, more: object = {}) =>
  answerMetadata(cloud.server.records)({
    ...{ networkId: defaultNetworkId, address: guest.network_data[0]!.fixed_ips[0]!.ip_address },
    ...{ portId: guest.network_data[0]!.port_id, method: 'GET', path, headers: {}, body: '' },
    ...more,
  })
const text = async (path: string) => String((await ask(path)).body)

test('serves metadata in EC2 format', async () => {
  expect((await text('/latest/meta-data/')).split('\n')).toEqual(
    expect.arrayContaining(['instance-id', 'hostname', 'local-ipv4', 'mac', 'placement/', 'public-keys/']),
  )
  expect(await text('/latest/meta-data/instance-id')).toBe(guest.id)
  expect(await text('/2009-04-04/meta-data/local-hostname')).toBe('web-1.cloud.internal')
  expect(await text('/latest/meta-data/local-ipv4')).toBe(guest.network_data[0]!.fixed_ips[0]!.ip_address)
  expect(await text('/latest/meta-data/public-keys/')).toBe('0=laptop')
  expect(await text('/latest/meta-data/public-keys/0/')).toBe('openssh-key')
  expect(await text('/latest/meta-data/public-keys/0/openssh-key')).toContain('ssh-ed25519 ')
  expect(await text('/latest/user-data')).toBe('#cloud-config\n{}\n')
  expect(await text('/latest/')).toBe('meta-data/\nuser-data')
  expect(await text('/')).toContain('latest')
})

test('serves metadata, keys and interfaces in OpenStack format', async () => {
  expect(await text('/openstack')).toContain('latest')
  expect(await text('/openstack/latest/')).toContain('meta_data.json')
  const told = await ask('/openstack/latest/meta_data.json')
  expect(told.headers['content-type']).toBe('application/json')
  expect(JSON.parse(String(told.body))).toMatchObject({
    ...{ uuid: guest.id, name: 'Web 1', hostname: 'web-1.cloud.internal', meta: { role: 'shop' } },
    public_keys: { laptop: expect.stringContaining('ssh-ed25519') },
  })
  const network = JSON.parse(await text('/openstack/2018-08-27/network_data.json')) as {
    links: object[]
    networks: object[]
  }
  const [card] = guest.network_data
  expect(network.links).toMatchObject([{ vif_id: card!.port_id, ethernet_mac_address: card!.mac_addr, mtu: 1500 }])
  expect(network.networks).toMatchObject([{ type: 'ipv4_dhcp', network_id: defaultNetworkId }])
  expect(await text('/openstack/latest/user_data')).toBe('#cloud-config\n{}\n')
})

test('passes the image’s default user as cloud-init vendor data', async () => {
  const vendorData = async () => JSON.parse(await text('/openstack/latest/vendor_data.json')) as object
  expect(await vendorData()).toEqual({})
  await cloud.server.records.transaction((tx) => tx.put('server', { ...guest, username: 'ops' }))
  expect(await vendorData()).toEqual({
    'cloud-init': '#cloud-config\nsystem_info:\n  default_user:\n    name: "ops"\n',
  })
  await cloud.server.records.transaction((tx) => tx.put('server', guest))
})

test('returns 404 for unknown ports and paths, and 405 for writes', async () => {
  expect(await ask('/latest/meta-data/', { portId: null })).toMatchObject({ status: 404 })
  expect(await ask('/latest/meta-data/', { portId: 'another' })).toMatchObject({ status: 404 })
  for (const path of ['/latest/meta-data/nothing', '/openstack/latest/nothing', '/other', '/openstack/2018-08-27/../x'])
    expect((await ask(path)).status, path).toBe(404)
  expect(await ask('/openstack/latest/password', { method: 'POST' })).toMatchObject({ status: 405 })
})
