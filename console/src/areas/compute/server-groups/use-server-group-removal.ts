import { serverGroups, type ServerGroup } from '@mainstay/contract/compute/server-groups'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { confirmDelete } from '../../../patterns/confirm-delete'
import type { RowAction } from '../../../patterns/row-action'
import { useMay } from '../../../session/may'
import { DeleteIcon } from '../../../ui/icons'

/** Deleting groups: `actions(group)` for menus, `remove` for many. */
export function useServerGroupRemoval({ deleted }: { deleted?: () => void } = {}) {
  const t = useT('compute')
  const may = useMay()
  const { run } = useCall(serverGroups.delete, { refresh: [serverGroups.list] })
  const isAllowed = may(serverGroups.delete.needs)
  const remove = ({ id }: ServerGroup, signal: AbortSignal) => run({ params: { id } }, { signal })

  const actions = (group: ServerGroup): RowAction[] =>
    isAllowed
      ? [
          {
            label: t('delete'),
            icon: DeleteIcon,
            isDanger: true,
            run: () =>
              void confirmDelete({
                what: t('serverGroups.noun'),
                name: group.name,
                text: t('serverGroups.deleteNote'),
                run: (signal) => remove(group, signal),
              }).then((isDone) => isDone && deleted?.()),
          },
        ]
      : []

  return { isAllowed, remove, actions }
}
