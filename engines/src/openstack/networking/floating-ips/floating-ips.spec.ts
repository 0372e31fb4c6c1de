import { FloatingIp, FloatingIpDraft } from '@mainstay/contract/networking/floating-ips'
import type { Port } from '@mainstay/contract/networking/ports'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { neutronRefusal } from '../../testing/fake-cloud/refusals'
import { startNetworkingFixture, type NetworkingFixture } from '../../testing/networking-fixture'
import { floatingIpReader } from './reader'

let fixture: NetworkingFixture
beforeEach(async () => {
  fixture = await startNetworkingFixture()
})
afterEach(() => fixture.close())

const portWith = (...addresses: string[]) =>
  fixture.make('ports', {
    network_id: 'n',
    fixed_ips: addresses.map((ip_address) => ({ subnet_id: 's', ip_address })),
  })
const draftOf = (floating_network_id: string, more: object = {}) =>
  FloatingIpDraft.parse({ floating_network_id, ...more })
const body = (verb: string) =>
  fixture.cloud.received.filter((it) => it.verb === verb && it.path.startsWith('/floatingips')).at(-1)!.body

test('creates, assigns, reassigns and releases a floating IP, and refreshes the ports', async () => {
  const outside = await fixture.outside()
  const [one, other] = [await portWith('fd00::7', '10.0.0.7'), await portWith('10.0.0.8', '10.0.0.9')]
  const made = await fixture.floatingIps.create(fixture.member, draftOf(outside, { port_id: one.id }))
  expect(body('POST')).toMatchObject({ floatingip: { port_id: one.id, fixed_ip_address: '10.0.0.7' } })
  expect(FloatingIp.parse(made)).toEqual(made)
  expect(made).toMatchObject({ floating_network_name: 'outside', port_id: one.id, attachment: null, attached_to: null })
  expect(fixture.indexed<Port>('port', one.id)!.floating_ips).toEqual([made.id])

  const moved = await fixture.floatingIps.update(fixture.member, made.id, {
    port_id: other.id,
    fixed_ip_address: '10.0.0.9',
  })
  expect(moved).toMatchObject({ port_id: other.id, fixed_ip_address: '10.0.0.9' })
  expect(fixture.indexed<Port>('port', one.id)!.floating_ips).toEqual([])
  expect(fixture.indexed<Port>('port', other.id)!.floating_ips).toEqual([made.id])
  await fixture.floatingIps.update(fixture.member, made.id, { port_id: null })
  expect(body('PUT')).toEqual({ floatingip: { port_id: null } })
  await fixture.floatingIps.update(fixture.member, made.id, { description: 'shop' })
  expect(body('PUT')).toEqual({ floatingip: { description: 'shop' } })
  await fixture.floatingIps.delete(fixture.member, made.id)
  expect(fixture.indexed('floating_ip', made.id)).toBeUndefined()
})

test('refuses invalid requests, with an error on the field at fault', async () => {
  const outside = await fixture.outside()
  const { id: inside } = await fixture.network(1)
  const theirs = await fixture.make('ports', { network_id: 'n', project_id: 'p-other' })
  const six = await portWith('fd00::7')
  const four = await portWith('10.0.0.7')
  const at = (field: string) => ({ fields: { [field]: [expect.any(String)] } })
  const make = (network: string, more: object = {}) =>
    refusal(fixture.floatingIps.create(fixture.member, draftOf(network, more)))
  expect(await make(inside)).toMatchObject({ code: 'not_routable', ...at('floating_network_id') })
  expect(await make('no-such-network')).toMatchObject({ code: 'validation', ...at('floating_network_id') })
  expect(await make(outside, { port_id: theirs.id })).toMatchObject({ code: 'validation', ...at('port_id') })
  expect(await make(outside, { port_id: six.id })).toMatchObject({ code: 'not_routable', ...at('port_id') })
  expect(await make(outside, { port_id: four.id, fixed_ip_address: '10.0.0.8' })).toMatchObject(at('fixed_ip_address'))
  expect(await make(outside, { floating_ip_address: '203.0.113.9' })).toMatchObject({
    code: 'validation',
    ...at('floating_ip_address'),
  })
  const cases: [reply: ReturnType<typeof neutronRefusal>, code: string, field: string][] = [
    [
      neutronRefusal(404, 'ExternalGatewayForFloatingIPNotFound', 'External network o is not reachable from subnet s.'),
      'not_routable',
      'port_id',
    ],
    [
      neutronRefusal(409, 'FloatingIPPortAlreadyAssociated', 'Cannot associate floating IP with port'),
      'port_already_has_fip',
      'port_id',
    ],
    [
      neutronRefusal(400, 'ExternalIpAddressExhausted', 'Unable to find any IP address on external network o.'),
      'no_free_addresses',
      'floating_network_id',
    ],
    [neutronRefusal(404, 'PortNotFound', 'Port p could not be found.'), 'validation', 'port_id'],
  ]
  for (const [reply, code, field] of cases) {
    fixture.cloud.on('network', 'POST', '/floatingips', () => reply)
    expect(await make(outside, { port_id: four.id }), code).toMatchObject({ code, ...at(field) })
  }
  expect(await refusal(fixture.floatingIps.publish(fixture.member, 'f', { port: 80, protocol: 'tcp' }))).toMatchObject({
    code: 'unsupported',
  })
})

test('reads the instance of each floating IP with a constant number of list requests', async () => {
  fixture.neutron.add('networks', { id: 'o', name: 'outside' })
  fixture.cloud.list('compute', '/servers', 'servers', [{ id: 's1', name: 'web' } as { id: string }])
  for (let at = 0; at < 20; at++)
    fixture.neutron.add('floatingips', {
      ...{ id: `f${at}`, floating_ip_address: `203.0.113.${at}`, floating_network_id: 'o', port_id: `p${at}` },
      ...{ status: 'ACTIVE', fixed_ip_address: '10.0.0.7', router_id: 'r' },
      port_details: { device_id: 's1', device_owner: 'compute:nova', status: 'ACTIVE' },
    })
  fixture.neutron.calls()
  const rows: FloatingIp[] = []
  for await (const page of floatingIpReader.all(fixture.engine.reading)) rows.push(...page)
  expect(fixture.neutron.calls().toSorted()).toEqual(['GET /floatingips', 'GET /networks', 'GET /servers'])
  expect(rows).toHaveLength(20)
  for (const row of rows)
    expect(row).toMatchObject({
      floating_network_name: 'outside',
      status: 'ACTIVE',
      attached_to: 'web',
      attachment: { object_id: 's1', object_name: 'web', device_owner: 'compute:nova' },
    })
})
