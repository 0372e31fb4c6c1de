import { computeCluster, listedDistros } from '@mainstay/contract/compute/compute-cluster'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { serve } from '../../http/serve'
import { recycleDays } from '../storage/recycle-bin.service'
import { mayResizeLive } from './live-resize.service'

export const computeClusterRoutes = serve(computeCluster, {
  view: async ({ scope }, { areas: { compute }, capabilities, engineStates, domainProperties, settings }) => ({
    status: compute.engine ? ('active' as const) : ('absent' as const),
    options: { backup: { driver: null }, notification_forwarding: { transport_url: null } },
    configured: compute.engine !== null,
    advice: compute.advice,
    engine: compute.engine?.name ?? 'none',
    hypervisor: compute.engine?.about.hypervisor ?? 'none',
    accelerator: compute.engine?.about.accelerator ?? 'none',
    capabilities: {
      ...capabilities.compute,
      // a system scope spans all domains, so the domain's setting is checked when an instance is changed
      live_resize:
        capabilities.compute.live_resize &&
        (scope.kind === 'system' || (await mayResizeLive(domainProperties, scope.domain_id))),
    },
    recycle_days: await recycleDays({ capabilities, settings }),
    outage: engineStates.outage(),
    os_distros: listedDistros.map((distro) => ({ ...distro })),
  }),
  async stat({ scope }, { ports, areas, inventory }) {
    const [figures, storage, byStatus] = await Promise.all([
      ports.compute.stat(scope),
      areas.storage.engine ? ports.storage.stat(scope) : { used: 0, total: 0 },
      inventory.countBy(instanceKind, scope, 'status'),
    ])
    const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
    return { ...figures, storage, servers: { total, by_status: byStatus } }
  },
})
