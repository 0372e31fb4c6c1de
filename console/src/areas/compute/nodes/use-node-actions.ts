import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { whyNodeCannotJoin, whyNodeStays } from '@mainstay/contract/compute/node-membership'
import { computeNodes, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { says, type RuleText } from '@mainstay/contract/core/said'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { waitForTask } from '../../../api/wait-for-task'
import { ruleTextNow } from '../../../i18n/said'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { notifyError } from '../../../notices/notify-error'
import { confirm } from '../../../patterns/dialogs/confirm'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { nodePaths } from './node-paths'
import { reloadNodes } from './use-nodes'

/** Why an action is not possible; undefined if it is. */
const reason = (rule: RuleText | null) => (rule === null ? undefined : ruleTextNow(rule))

/** The actions on a node. Actions that are not possible state the reason, by the same rules as the server. */
export function useNodeActions(): (node: ComputeNode, machines: number) => RowAction[] {
  const t = useT('computeCluster')
  const may = useMay()
  const navigate = useAppNavigate()
  const { data: cluster } = useView(computeCluster.view, {})
  const join = useCall(computeNodes.join, { refresh: [computeNodes.list, computeNodes.view] })
  const release = useCall(computeNodes.release, { refresh: [computeNodes.list, computeNodes.view] })
  const unfence = useCall(computeNodes.unfence, { refresh: [computeNodes.list, computeNodes.view] })
  const isAlone = cluster?.capabilities.many_nodes === false
  const onlyOne = isAlone ? says('compute.node_only_one') : null
  /** Reloads the list at the end of the task, whether it succeeds or fails. The notice of the task shows its error. */
  const follow = ({ task_id }: { task_id: string }) =>
    void waitForTask(task_id)
      .catch(() => undefined)
      .finally(() => void reloadNodes())

  const barredAtFence = ({ state, host, fenced_reason }: ComputeNode, machines: number) => {
    if (fenced_reason !== null) return t('nodes.fenced')
    if (state === 'joining' || state === 'releasing')
      return reason(says('compute.node_in_progress', { node: host, state }))
    return isAlone && machines > 0
      ? reason(says('compute.node_fence_has_machines', { node: host, count: machines }))
      : undefined
  }

  return (node, machines) => {
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
      ...(may(computeNodes.join.needs) && state === 'released'
        ? [
            {
              label: t('nodes.add'),
              disabledBecause: reason(onlyOne ?? whyNodeCannotJoin(node)),
              run: () => void join.run({ body: { nodes } }).then(follow, notifyError),
            },
          ]
        : []),
      ...(may(computeNodes.fence.needs)
        ? [
            {
              label: t('nodes.fence'),
              disabledBecause: barredAtFence(node, machines),
              run: () => navigate(nodePaths.fence(id)),
            },
          ]
        : []),
      ...(may(computeNodes.release.needs) && state !== 'released'
        ? [
            {
              label: t('nodes.release'),
              isDanger: true,
              disabledBecause: reason(onlyOne ?? whyNodeStays(node, machines)),
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
