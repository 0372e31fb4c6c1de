import { ConnectionDraft, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { Entity } from '../../ports/records'
import type { VpnPort } from '../../ports/vpn'
import type * as z from 'zod'
import type { KindReader } from '../kind-reader'
import { quotaLimits } from '../quotas'
import { vpnCommands } from '../vpn/commands'
import { connectionReader } from '../vpn/connections/reader'
import { endpointGroupReader } from '../vpn/endpoint-groups'
import { learnVpn, unknownVpnService, type VpnServiceOfCloud } from '../vpn/learn'
import { ikePolicyReader, ipsecPolicyReader } from '../vpn/policies'
import { vpnServiceReader } from '../vpn/services'
import { fakeVpnaas, type FakeVpnaas } from './fake-cloud/vpnaas'
import { waitUntilKnown } from './learned'
import { startNetworkingFixture, type NetworkingFixture } from './networking-fixture'

type DraftInput = z.input<typeof ConnectionDraft>

/** The engine's VPN commands, running against a fake cloud. */
export interface VpnFixture extends NetworkingFixture {
  vpn: VpnPort
  service: VpnServiceOfCloud
  vpnaas: FakeVpnaas
  /** Adds a router for `member` with a gateway and the network 10.0.N.0/24, where N is `place`. */
  edge(place: number): Promise<{ id: string; subnet: string }>
  /** Returns a complete draft of a connection, with a new router by default. */
  draft(said?: Partial<DraftInput['ipsec_site_connection']>, more?: Partial<DraftInput>): Promise<ConnectionDraft>
  /** Creates a connection for `member` and runs its task. */
  connection(
    said?: Partial<DraftInput['ipsec_site_connection']>,
    more?: Partial<DraftInput>,
  ): Promise<IpsecSiteConnection>
  /** Returns the number of VPN services, IKE policies, IPsec policies, endpoint groups and connections in the cloud. */
  counts(): number[]
  /** Reads all rows of one kind from the cloud. */
  readAll<Row extends Entity>(reader: KindReader<Row>): Promise<Row[]>
  /** Reads a connection from the cloud into the index. */
  read(id: string): Promise<IpsecSiteConnection>
}

export const secret = 'a key that both ends know'

const lists = ['vpnservices', 'ikepolicies', 'ipsecpolicies', 'endpoint-groups', 'ipsec-site-connections'] as const

export async function startVpnFixture(): Promise<VpnFixture> {
  const fixture = await startNetworkingFixture({
    readers: [
      connectionReader,
      endpointGroupReader,
      ikePolicyReader,
      ipsecPolicyReader,
      vpnServiceReader,
    ] as KindReader<Entity>[],
    services: [],
  })
  const { engine, cloud } = fixture
  const vpnaas = fakeVpnaas(cloud, fixture.neutron)
  const service = unknownVpnService()
  await waitUntilKnown(learnVpn({ account: engine.reading.caller, log: engine.log }, service), service)
  const vpn = vpnCommands(engine, service, quotaLimits(engine))
  let places = 0
  const edge: VpnFixture['edge'] = async (place) => {
    const network = await fixture.network(place)
    const router = await fixture.make('routers', {
      name: `edge-${place}`,
      external_gateway_info: {
        ...{ network_id: await fixture.outside(), enable_snat: true },
        external_fixed_ips: [{ subnet_id: 'outside', ip_address: `203.0.113.${place}` }],
      },
    })
    await fixture.routers.addInterface(fixture.member, router.id, { network_id: network.id })
    return { id: router.id, subnet: network.subnet }
  }
  const draft: VpnFixture['draft'] = async (said = {}, more = {}) => {
    const { id: router_id, subnet } = more.vpnservice
      ? { id: more.vpnservice.router_id, subnet: '' }
      : await edge(++places)
    return ConnectionDraft.parse({
      vpnservice: { router_id },
      ipsec_site_connection: { name: 'branch', peer_address: '198.51.100.9', psk: secret, ...said },
      ...(said?.ikepolicy_id === undefined && { ikepolicy: { name: 'branch-ike' } }),
      ...(said?.ipsecpolicy_id === undefined && { ipsecpolicy: { name: 'branch-ipsec' } }),
      ...(said?.local_ep_group_id === undefined && { local_ep_group: { name: 'branch-local', endpoints: [subnet] } }),
      ...(said?.peer_ep_group_id === undefined && {
        peer_ep_group: { name: 'branch-peer', endpoints: ['10.77.0.0/16'] },
      }),
      ...more,
    })
  }
  return {
    ...fixture,
    ...{ vpn, service, vpnaas, edge, draft },
    async connection(said, more) {
      const { id } = await vpn.ipsecSiteConnections.create(fixture.member, await draft(said, more))
      await fixture.runTask()
      return fixture.indexed<IpsecSiteConnection>('ipsec_site_connection', id)!
    },
    counts: () => lists.map((list) => vpnaas.rows[list].size),
    async readAll<Row extends Entity>(reader: KindReader<Row>) {
      const rows: Row[] = []
      for await (const page of reader.all(engine.reading)) rows.push(...page)
      return rows
    },
    read: (id) => engine.refresh(connectionReader, id),
  }
}
