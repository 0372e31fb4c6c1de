import type { NetworkingPort } from '../../ports/networking'
import type { Entity } from '../../ports/records'
import type { KindReader } from '../kind-reader'
import { floatingIpReader } from '../networking/floating-ips/reader'
import { networkingOfCloud } from '../networking/area'
import { networkReader } from '../networking/networks/reader'
import { portReader } from '../networking/ports/reader'
import { routerReader } from '../networking/routers/reader'
import { securityGroupReader, securityGroupRuleReader } from '../networking/security-groups/reader'
import { subnetReader } from '../networking/subnets/reader'
import { quotaLimits } from '../quotas'
import { startEngineFixture, type EngineFixture } from './engine-fixture'
import type { OptionalService } from './fake-cloud/cloud'
import { fakeNeutron, type FakeNeutron, type NeutronRow } from './fake-cloud/neutron'

const readers = {
  networks: networkReader,
  subnets: subnetReader,
  ports: portReader,
  routers: routerReader,
  floatingips: floatingIpReader,
  'security-groups': securityGroupReader,
  'security-group-rules': securityGroupRuleReader,
} as const

/** The engine's network commands, running against a fake network service. */
export interface NetworkingFixture extends EngineFixture, NetworkingPort {
  neutron: FakeNeutron
  /** Adds a row, as if another client had created it, and reads it into the index. */
  make(list: keyof typeof readers, row?: Partial<NeutronRow>): Promise<NeutronRow>
  /** Adds a network for `member` with one subnet, 10.0.N.0/24, where N is `place`. */
  network(place: number, more?: Partial<NeutronRow>): Promise<{ id: string; subnet: string }>
  /** Adds an external network that all projects may use for router gateways. */
  outside(): Promise<string>
  /** Returns a row in the index. */
  indexed<Row>(kind: string, id: string): Row | undefined
}

/**
 * Starts the fixture. `more`: readers for kinds that build on networks, and the optional services that they require.
 */
export async function startNetworkingFixture(
  more: { readers: readonly KindReader<Entity>[]; services: readonly OptionalService[] } = {
    readers: [],
    services: [],
  },
): Promise<NetworkingFixture> {
  const own = Object.values(readers) as KindReader<Entity>[]
  const fixture = await startEngineFixture([...own, ...more.readers], more.services)
  const neutron = fakeNeutron(fixture.cloud)
  fixture.cloud.list('compute', '/servers', 'servers', [])
  const { engine } = fixture
  const { port: networking } = networkingOfCloud.open({ engine, quotaLimits: quotaLimits(engine) })
  const make: NetworkingFixture['make'] = async (list, row) => {
    const made = neutron.add(list, row)
    const reader: KindReader<Entity> = readers[list]
    await fixture.engine.refresh(reader, made.id)
    return made
  }
  return {
    ...fixture,
    ...networking,
    neutron,
    make,
    async network(place, more = {}) {
      const { id } = neutron.add('networks', { name: `net-${place}`, ...more })
      const subnet = neutron.add('subnets', {
        ...{ network_id: id, cidr: `10.0.${place}.0/24`, gateway_ip: `10.0.${place}.1` },
        allocation_pools: [{ start: `10.0.${place}.2`, end: `10.0.${place}.254` }],
      })
      await fixture.engine.refresh(networkReader, id)
      await fixture.engine.refresh(subnetReader, subnet.id)
      return { id, subnet: subnet.id }
    },
    async outside() {
      const { id } = neutron.add('networks', {
        ...{ name: 'outside', 'router:external': true, project_id: 'p-admin' },
        ...{ 'provider:network_type': 'flat', 'provider:physical_network': 'public' },
      })
      neutron.add('rbac-policies', { object_id: id, action: 'access_as_external', target_tenant: '*' })
      await fixture.engine.refresh(networkReader, id)
      return id
    },
    indexed: <Row>(kind: string, id: string) => fixture.index.get(`${kind}/${id}`) as Row | undefined,
  }
}
