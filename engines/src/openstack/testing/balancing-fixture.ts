import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { LoadBalancerDraft } from '@mainstay/contract/load-balancing/load-balancers'
import { PoolDraft, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import type * as z from 'zod'
import type { LoadBalancingPort } from '../../ports/load-balancing'
import type { Entity } from '../../ports/records'
import type { KindReader } from '../kind-reader'
import { loadBalancerReader } from '../load-balancing/balancers/reader'
import { loadBalancingCommands } from '../load-balancing/commands'
import { lbFlavorProfileReader, lbFlavorReader } from '../load-balancing/flavors/reader'
import { learnBalancing, unknownBalancerService, type BalancerService } from '../load-balancing/learn'
import { lbPoolReader } from '../load-balancing/pools/reader'
import { quotaLimits } from '../quotas'
import { fakeBarbican, type FakeBarbican } from './fake-cloud/barbican'
import { fakeOctavia } from './fake-cloud/octavia'
import type { FakeOctavia } from './fake-cloud/octavia-rows'
import { waitUntilKnown } from './learned'
import { startNetworkingFixture, type NetworkingFixture } from './networking-fixture'

/** The engine's load balancer commands, running against a fake cloud. */
export interface BalancingFixture extends NetworkingFixture {
  balancing: LoadBalancingPort
  service: BalancerService
  octavia: FakeOctavia
  barbican: FakeBarbican
  /** Creates a load balancer for `member` in a new network and waits until it is active. */
  balancer(draft?: Partial<z.input<typeof LoadBalancerDraft>>): Promise<LoadBalancer>
  /** Creates a pool and runs its task. */
  pool(balancer: string, draft: Omit<z.input<typeof PoolDraft>, 'loadbalancer_id'>): Promise<LoadBalancerPool>
  /** Reads the current row from the cloud into the index. */
  readBalancer(id: string): Promise<LoadBalancer>
  readPool(id: string): Promise<LoadBalancerPool>
}

export async function startBalancingFixture({ keepsKeys = true } = {}): Promise<BalancingFixture> {
  const fixture = await startNetworkingFixture({
    readers: [lbPoolReader, loadBalancerReader, lbFlavorReader, lbFlavorProfileReader] as KindReader<Entity>[],
    services: keepsKeys ? ['load-balancer', 'key-manager'] : ['load-balancer'],
  })
  const { engine, cloud } = fixture
  const octavia = fakeOctavia(cloud, fixture.neutron)
  const barbican = fakeBarbican(cloud)
  const service = unknownBalancerService()
  await waitUntilKnown(learnBalancing({ account: engine.reading.caller, log: engine.log }, service), service)
  for (const reader of [lbFlavorReader, lbFlavorProfileReader])
    for await (const page of reader.all(engine.reading))
      for (const row of page) fixture.index.set(`${reader.kind}/${row.id}`, row)
  const balancing = loadBalancingCommands(engine, service, quotaLimits(engine))
  let networks = 0
  return {
    ...fixture,
    ...{ balancing, service, octavia, barbican },
    async balancer(draft = {}) {
      const network_id = draft.network_id ?? (await fixture.network(++networks)).id
      const parsed = LoadBalancerDraft.parse({ name: 'shop', ...draft, network_id })
      const { id } = await balancing.loadBalancers.create(fixture.member, parsed)
      await fixture.runTask()
      return fixture.indexed<LoadBalancer>('load_balancer', id)!
    },
    async pool(loadbalancer_id, draft) {
      const parsed = PoolDraft.parse({ loadbalancer_id, ...draft })
      const { id } = await balancing.loadBalancerPools.create(fixture.member, parsed)
      await fixture.runTask()
      return fixture.indexed<LoadBalancerPool>('lb_pool', id)!
    },
    readBalancer: (id) => engine.refresh(loadBalancerReader, id),
    readPool: (id) => engine.refresh(lbPoolReader, id),
  }
}
