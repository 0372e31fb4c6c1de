import { expect, test, vi } from 'vitest'
import { refusal } from '../../conformance/cloud'
import { rowsAnnounced } from '../feed/announced'
import { startEngineFixture } from '../testing/engine-fixture'
import { fakeNeutron } from '../testing/fake-cloud/neutron'
import { startVpnFixture } from '../testing/vpn-fixture'
import { vpnQuotasOf, quotaLimits } from '../quotas'
import { vpnCommands } from './commands'
import { connectionReader } from './connections/reader'
import { endpointGroupReader } from './endpoint-groups'
import { learnVpn, unknownVpnService } from './learn'
import { ikePolicyReader, ipsecPolicyReader } from './policies'
import { vpnServiceReader } from './services'

test('reports a cloud without VPN or endpoint groups, refuses commands and reads no rows', async () => {
  const fixture = await startEngineFixture()
  const neutron = fakeNeutron(fixture.cloud)
  const { reading, log } = fixture.engine
  const service = unknownVpnService()
  const lacking = async (words: string) => {
    const learning = learnVpn({ account: reading.caller, log }, service)
    learning.start()
    await vi.waitFor(() => expect(service.unavailable).toContain(words))
    learning.stop()
    expect(service.capabilities).toMatchObject({ connections: false, ike_versions: [] })
  }
  try {
    await lacking('does not support VPN (no vpnaas extension)')
    neutron.add('extensions', { alias: 'vpnaas' })
    await lacking('does not support VPN endpoint groups (no vpn-endpoint-groups extension)')
    const { ikePolicies } = vpnCommands(fixture.engine, service, quotaLimits(fixture.engine))
    const draft = { name: 'policy', description: '', lifetime: { units: 'seconds' as const, value: 3600 } }
    const said = {
      encryption_algorithm: 'aes-256',
      auth_algorithm: 'sha256',
      pfs: 'group14',
      ike_version: 'v2',
    } as const
    expect(await refusal(ikePolicies.create(fixture.member, { ...draft, ...said }))).toMatchObject({
      code: 'networking_unavailable',
      message: service.unavailable,
    })
    // the service's response to unknown paths
    for (const list of ['vpnservices', 'ikepolicies', 'ipsecpolicies', 'endpoint-groups', 'ipsec-site-connections'])
      fixture.cloud.on('network', 'GET', `/vpn/${list}`, () => ({
        status: 404,
        body: { message: 'The resource could not be found.' },
      }))
    for (const reader of [
      connectionReader,
      vpnServiceReader,
      ikePolicyReader,
      ipsecPolicyReader,
      endpointGroupReader,
    ]) {
      const rows: unknown[] = []
      for await (const page of reader.all(reading)) rows.push(...page)
      expect(rows).toEqual([])
    }
  } finally {
    await fixture.close()
  }
})

test('reads and sets the connection quota, if the network service has one', async () => {
  const fixture = await startVpnFixture()
  const set: unknown[] = []
  fixture.cloud.on('network', 'GET', '/quotas/:id/details', () => ({
    body: { quota: { ipsec_site_connection: { limit: 5, used: 2, reserved: 1 }, ikepolicy: { limit: 1, used: 0 } } },
  }))
  fixture.cloud.on('network', 'PUT', '/quotas/:id', ({ body }) => ({ body: set.push(body) && {} }))
  try {
    const read = () => vpnQuotasOf(fixture.engine, fixture.member, 'p-demo')
    expect(await read()).toEqual({ ipsec_site_connection: { limit: 5, used: 3 } })
    const limits = quotaLimits(fixture.engine)
    expect(limits.ofProjects).toContain('ipsec_site_connection')
    const project = { project_id: 'p-demo', domain_id: 'default' }
    await limits.setOfProject(fixture.operator, project, { ipsec_site_connection: 9 })
    expect(set).toEqual([{ quota: { ipsec_site_connection: 9 } }])
    fixture.cloud.on('network', 'GET', '/quotas/:id/details', () => ({ body: { quota: {} } }))
    expect(await read()).toEqual({ ipsec_site_connection: { limit: 0, used: 0 } })
  } finally {
    await fixture.close()
  }
})

test('refreshes rows after VPN notifications', () => {
  const heard = (event: string, payload: object) => rowsAnnounced({ event, payload } as never)
  expect(heard('ipsec_site_connection.create.end', { ipsec_site_connection: { id: 'c', psk: 'key' } })).toEqual([
    { kind: 'ipsec_site_connection', id: 'c' },
  ])
  expect(heard('ikepolicy.delete.end', { ikepolicy_id: 'i' })).toEqual([{ kind: 'ike_policy', id: 'i' }])
  expect(heard('endpoint_group.update.end', { endpoint_group: { id: 'g' } })).toEqual([
    { kind: 'vpn_endpoint_group', id: 'g' },
  ])
})
