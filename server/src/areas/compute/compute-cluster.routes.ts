import { computeCluster, listedDistros } from '@mainstay/contract/compute/compute-cluster'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { serve } from '../../http/serve'
import { recycleDays } from '../storage/recycle-bin.service'
import { addDoneTask, doneTask } from '../../tasks/done-task'
import { mayResizeLive } from './live-resize.service'

/** Clients expect a task, although the change is complete by then. */
export const clusterUpdated = doneTask('compute.cluster.update')

export const computeClusterRoutes = serve(
  computeCluster,
  {
    view: async (
      { scope },
      { areas: { compute, storage }, capabilities, engineStates, domainProperties, settings, ports },
    ) => ({
      status: compute.engine ? ('active' as const) : ('absent' as const),
      options: {
        // paths and buckets concern only operators
        backup: scope.kind === 'system' && storage.engine ? await ports.storage.backupTarget.view() : null,
        notification_forwarding: { transport_url: null },
      },
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
    async update({ scope, body }, { ports, inventory }) {
      await ports.storage.backupTarget.set(body.backup)
      const subject = { kind: 'compute_cluster', id: 'compute', name: 'compute' }
      return { task_id: await addDoneTask(inventory, clusterUpdated, { subject, scope }) }
    },
    async stat({ scope }, { ports, areas, inventory }) {
      const [figures, storage, byStatus] = await Promise.all([
        ports.compute.stat(scope),
        areas.storage.engine ? ports.storage.stat(scope) : { used: 0, total: 0 },
        inventory.countBy(instanceKind, scope, 'status'),
      ])
      const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
      return { ...figures, storage, servers: { total, by_status: byStatus } }
    },
  },
  { about: 'compute_cluster' },
)
