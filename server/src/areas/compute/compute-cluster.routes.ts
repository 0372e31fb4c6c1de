import { computeCluster, listedDistros } from '@mainstay/contract/compute/compute-cluster'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { serve } from '../../http/serve'

export const computeClusterRoutes = serve(computeCluster, {
  view: (_, { compute, computeMissing, engineStates }) => ({
    status: computeMissing === null ? ('active' as const) : ('absent' as const),
    options: { backup: { driver: null }, notification_forwarding: { transport_url: null } },
    configured: computeMissing === null,
    advice: computeMissing?.advice ?? null,
    engine: compute.name,
    hypervisor: compute.about.hypervisor,
    accelerator: compute.about.accelerator,
    capabilities: compute.capabilities,
    outage: engineStates.outage(),
    os_distros: listedDistros.map((distro) => ({ ...distro })),
  }),
  async stat({ scope }, { compute, inventory }) {
    const [figures, byStatus] = await Promise.all([
      compute.stat(scope),
      inventory.countBy(instanceKind, scope, 'status'),
    ])
    const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
    return { ...figures, servers: { total, by_status: byStatus } }
  },
})
