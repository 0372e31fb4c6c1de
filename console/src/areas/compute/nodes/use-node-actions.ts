import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { whyNodeCannotBeFenced, whyNodeCannotJoin, whyNodeStays } from '@mainstay/contract/compute/node-membership'
import { computeNodes, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { waitForTask } from '../../../api/wait-for-task'
import { reasonNow } from '../../../i18n/said'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { notifyError } from '../../../notices/notify-error'
import { confirm } from '../../../patterns/dialogs/confirm'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { nodePaths } from './node-paths'
import { reloadNodes } from './use-nodes'

/**
 * The actions on a node. Actions that are not possible now are disabled and show the reason, by the same rules as on
 * the server. Actions that the engine never supports are not listed.
 */
export function useNodeActions(): (node: ComputeNode) => RowAction[] {
  const t = useT('computeCluster')
  const may = useMay()
  const navigate = useAppNavigate()
  const { data: cluster } = useView(computeCluster.view, {})
  const join = useCall(computeNodes.join, { refresh: [computeNodes.list, computeNodes.view] })
  const release = useCall(computeNodes.release, { refresh: [computeNodes.list, computeNodes.view] })
  const unfence = useCall(computeNodes.unfence, { refresh: [computeNodes.list, computeNodes.view] })
  const hasMany = cluster?.capabilities.many_nodes ?? false
  /** Reloads the list when the task ends, whether it succeeds or fails. The task's own notification shows the error. */
  const follow = ({ task_id }: { task_id: string }) =>
    void waitForTask(task_id)
      .catch(() => undefined)
      .finally(() => void reloadNodes())

  return (node) => {
    const { id, host: name, state, fenced_reason } = node
    const nodes = [{ node_id: id, roles: node.roles.length > 0 ? node.roles : ['compute' as const] }]
    return [
      ...(may(computeNodes.unfence.needs) && fenced_reason !== null
        ? [
            {
              label: t('nodes.unfence'),
              run: () =>
                void confirm({
                  title: t('nodes.unfenceTitle', { node: name }),
                  text: t('nodes.unfenceText'),
                  verb: t('nodes.unfence'),
                  run: () => unfence.run({ params: { id } }),
                }),
            },
          ]
        : []),
      ...(hasMany && may(computeNodes.join.needs) && state === 'released'
        ? [
            {
              label: t('nodes.add'),
              disabledBecause: reasonNow(whyNodeCannotJoin(node)),
              run: () => void join.run({ body: { nodes } }).then(follow, notifyError),
            },
          ]
        : []),
      ...(may(computeNodes.fence.needs) && fenced_reason === null && state !== 'released'
        ? [
            {
              label: t('nodes.fence'),
              disabledBecause: reasonNow(whyNodeCannotBeFenced(node, hasMany ? 0 : node.hypervisor.vms)),
              run: () => navigate(nodePaths.fence(id)),
            },
          ]
        : []),
      ...(hasMany && may(computeNodes.release.needs) && state !== 'released'
        ? [
            {
              label: t('nodes.release'),
              isDanger: true,
              disabledBecause: reasonNow(whyNodeStays(node, node.hypervisor.vms)),
              run: () =>
                void confirm({
                  title: t('nodes.releaseTitle', { node: name }),
                  text: t('nodes.releaseText'),
                  verb: t('nodes.release'),
                  isDanger: true,
                  run: () => release.run({ body: { nodes } }).then(follow),
                }),
            },
          ]
        : []),
    ]
  }
}
