import type { ComputeClusterChange } from '@mainstay/contract/compute/cluster-settings'
import { computeCluster, listedDistros } from '@mainstay/contract/compute/compute-cluster'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { clusterStatus } from '@mainstay/contract/compute/node-rules'
import { computeNodeKind, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { serve } from '../../http/serve'
import { featureSetting } from '../../store/domain-properties'
import { serverScope } from '../../tasks/server-scope'
import type { Tools } from '../../tools'
import { recycleDays } from '../storage/recycle-bin.service'
import { addDoneTask, doneTask } from '../../tasks/done-task'
import { mayResizeLive } from './live-resize.service'

/** Clients expect a task, although the change is complete by then. */
export const clusterUpdated = doneTask('compute.cluster.update')
export const clusterConfigured = doneTask('compute.cluster.configure')

const subject = { kind: 'compute_cluster', id: 'compute', name: 'compute' }

/** Derives the status and the processor model of the cluster from its nodes. */
async function fromNodes({ areas, inventory }: Tools) {
  if (!areas.compute.engine) return { status: 'absent' as const, cpu_model: null }
  const { data } = await inventory.list<ComputeNode>(computeNodeKind, serverScope, { limit: MAX_LIMIT })
  const models = new Set(data.map(({ cpu_model }) => cpu_model))
  return { status: clusterStatus(data), cpu_model: models.size === 1 ? [...models][0]! : null }
}

type FeatureChange = Pick<Partial<ComputeClusterChange>, 'enable_features' | 'disable_features'>

/** Refuses a change of features that would have no effect. */
function checkFeatures(
  { enable_features: enable = [], disable_features: disable = [] }: FeatureChange,
  { capabilities }: Tools,
): void {
  const canEnable = { allow_live_resize: capabilities.compute.live_resize, allow_live_resize_migration: false }
  for (const feature of enable)
    if (feature in canEnable && !canEnable[feature as keyof typeof canEnable])
      throw fieldProblem('enable_features', 'compute.cluster_feature_unsupported')
  if (disable.includes('HciComputeBackupEnabled'))
    throw fieldProblem('disable_features', 'compute.cluster_feature_always')
}

/** Enables and disables features for domains without their own setting. */
async function setFeatures(
  { enable_features: enable = [], disable_features: disable = [] }: FeatureChange,
  { settings }: Tools,
): Promise<void> {
  if (enable.length + disable.length === 0) return
  await settings.change(featureSetting, (kept) => ({
    value: {
      ...kept?.value,
      ...Object.fromEntries([...disable.map((it) => [it, false]), ...enable.map((it) => [it, true])]),
    },
  }))
}

export const computeClusterRoutes = serve(
  computeCluster,
  {
    view: async ({ scope }, tools) => {
      const { areas, capabilities, engineStates, domainProperties, settings, ports } = tools
      const { compute, storage } = areas
      return {
        ...(await fromNodes(tools)),
        features: await tools.domainProperties.features(),
        options: {
          // only operators may see paths and buckets
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
      }
    },
    async update({ scope, body }, tools) {
      const { ports, inventory } = tools
      checkFeatures(body, tools)
      if (body.backup) await ports.storage.backupTarget.set(body.backup)
      await setFeatures(body, tools)
      const task = body.backup ? clusterUpdated : clusterConfigured
      return { task_id: await addDoneTask(inventory, task, { subject, scope }) }
    },
    async create({ scope, body }, tools) {
      checkFeatures(body, tools)
      const task_id = await tools.ports.compute.nodes.createCluster(scope, body.nodes)
      await setFeatures(body, tools)
      return { task_id }
    },
    delete: async ({ scope }, { ports }) => ({ task_id: await ports.compute.nodes.deleteCluster(scope) }),
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
