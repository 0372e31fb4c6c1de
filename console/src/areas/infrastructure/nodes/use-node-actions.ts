import {
  whyNoMaintenance,
  whyNotDeleted,
  whyNotLeaving,
  whyNotReinstalled,
} from '@mainstay/contract/infrastructure/node-actions'
import { nodeMaintenance } from '@mainstay/contract/infrastructure/node-maintenance'
import { nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { useCall } from '../../../api/use-call'
import { reasonNow } from '../../../i18n/said'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { confirm } from '../../../patterns/dialogs/confirm'
import { confirmDelete } from '../../../patterns/dialogs/confirm-delete'
import type { ActionsOf, RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { DeleteIcon, MaintenanceIcon, RestoreIcon, StopIcon } from '../../../ui/icons'
import { nodePaths } from './paths'

const refresh = [nodes.list, nodes.view]

/** Actions for a node. `deleted` is called after the node has been deleted. */
export function useNodeActions(deleted?: () => void): ActionsOf<Node> {
  const t = useT('nodes')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const may = useMay()
  const remove = useCall(nodes.delete, { refresh })
  const cancelReinstall = useCall(nodes.cancelReinstall, { refresh })

  const maintenance = (node: Node): RowAction[] => {
    const { id, maintenance: found } = node
    // a node that only partly entered maintenance can either enter it again or leave it
    const canEnter = (found === null || found.state === 'suspend_incomplete') && may(nodeMaintenance.enter.needs)
    const canLeave = found !== null && may(nodeMaintenance.exit.needs)
    return [
      ...(canEnter
        ? [
            {
              label: t('maintenance.enter'),
              icon: MaintenanceIcon,
              disabledBecause: reasonNow(whyNoMaintenance(node)),
              run: () => go(nodePaths.maintenance(id)),
            },
          ]
        : []),
      ...(canLeave
        ? [
            {
              label: t('maintenance.leave'),
              icon: MaintenanceIcon,
              disabledBecause: reasonNow(whyNotLeaving(node)),
              run: () => go(nodePaths.maintenance(id), { search: { action: 'leave' } }),
            },
          ]
        : []),
    ]
  }

  const reinstall = (node: Node): RowAction[] => {
    // only hosts that were registered with a command can be reinstalled with one
    if (node.link.by !== 'ssh') return []
    const isPrepared = node.activity === 'installing'
    const preparation: RowAction = {
      label: t(isPrepared ? 'reinstall.newCommand' : 'reinstall'),
      icon: RestoreIcon,
      disabledBecause: reasonNow(whyNotReinstalled(node)),
      run: () => go(nodePaths.reinstall(node.id)),
    }
    const cancellation: RowAction = {
      label: t('reinstall.cancel'),
      icon: StopIcon,
      run: () =>
        void confirm({
          title: t('reinstall.cancelTitle', { name: node.host }),
          text: t('reinstall.cancelText'),
          verb: t('reinstall.cancel'),
          run: (signal) => cancelReinstall.run({ params: { id: node.id } }, { signal }),
        }),
    }
    return [
      ...(may(nodes.reinstall.needs) ? [preparation] : []),
      ...(isPrepared && may(nodes.cancelReinstall.needs) ? [cancellation] : []),
    ]
  }

  const deletion = (node: Node): RowAction[] =>
    // only hosts that were registered with a command can be deleted
    node.link.by === 'ssh' && may(nodes.delete.needs)
      ? [
          {
            label: patterns('delete'),
            icon: DeleteIcon,
            group: 'delete',
            isDanger: true,
            disabledBecause: reasonNow(whyNotDeleted(node)),
            about: { call: 'nodes.delete', thing: { id: node.id, name: node.host } },
            run: () =>
              void confirmDelete({
                title: t('deleteOne', { name: node.host }),
                text: t(node.is_online ? 'deleteNote' : 'deleteOfflineNote'),
                verb: t('deleteOneVerb'),
                run: (signal) => remove.run({ params: { id: node.id } }, { signal }),
              }).then((isDone) => isDone && deleted?.()),
          },
        ]
      : []

  return (node) => [...maintenance(node), ...reinstall(node), ...deletion(node)]
}
