import { nodeMaintenance } from '@mainstay/contract/infrastructure/node-maintenance'
import { nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { confirm } from '../../../patterns/dialogs/confirm'
import { confirmDelete } from '../../../patterns/dialogs/confirm-delete'
import type { ActionsOf, RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { DeleteIcon, MaintenanceIcon, RestoreIcon, StopIcon } from '../../../ui/icons'
import {
  noMaintenanceBecause,
  notDeletedBecause,
  notReinstalledBecause,
  stillInMaintenanceBecause,
} from './node-reasons'
import { nodePaths } from './paths'

const refresh = [nodes.list, nodes.view]

/** The actions for a node. `deleted` is called after the node has been deleted from its page. */
export function useNodeActions(deleted?: () => void): ActionsOf<Node> {
  const t = useT('nodes')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const may = useMay()
  const remove = useCall(nodes.delete, { refresh })
  const cancelReinstall = useCall(nodes.cancelReinstall, { refresh })

  const maintenance = (node: Node): RowAction[] => {
    const isIn = node.maintenance !== null
    if (!may(isIn ? nodeMaintenance.exit.needs : nodeMaintenance.enter.needs)) return []
    return [
      {
        label: t(isIn ? 'maintenance.leave' : 'maintenance.enter'),
        icon: MaintenanceIcon,
        disabledBecause: isIn ? stillInMaintenanceBecause(node, t) : noMaintenanceBecause(node, t),
        run: () => go(nodePaths.maintenance(node.id)),
      },
    ]
  }

  const reinstall = (node: Node): RowAction[] => {
    // only registered hosts take their place again by a command
    if (node.link.by !== 'ssh') return []
    if (node.activity === 'installing')
      return may(nodes.cancelReinstall.needs)
        ? [
            {
              label: t('reinstall.cancel'),
              icon: StopIcon,
              run: () =>
                void confirm({
                  title: t('reinstall.cancelTitle', { name: node.host }),
                  text: t('reinstall.cancelText'),
                  verb: t('reinstall.cancel'),
                  run: (signal) => cancelReinstall.run({ params: { id: node.id } }, { signal }),
                }),
            },
          ]
        : []
    return may(nodes.reinstall.needs)
      ? [
          {
            label: t('reinstall'),
            icon: RestoreIcon,
            disabledBecause: notReinstalledBecause(node, t),
            run: () => go(nodePaths.reinstall(node.id)),
          },
        ]
      : []
  }

  const deletion = (node: Node): RowAction[] =>
    may(nodes.delete.needs)
      ? [
          {
            label: patterns('delete'),
            icon: DeleteIcon,
            group: 'delete',
            isDanger: true,
            disabledBecause: notDeletedBecause(node, t),
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
