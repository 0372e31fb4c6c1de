import { isOfDirectory } from '@mainstay/contract/identity/directory-source'
import { groups, type Group } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useDeleteActions } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { AttachIcon, EditIcon, UsersIcon } from '../../../ui/icons'
import { groupResource } from './resource'

/**
 * Returns a function that gives the reason why the user may not change a group or its members, or undefined if they
 * may.
 */
export function useGroupBar() {
  const t = useT('identity')
  const isOperator = useIsAllTenants()
  return (group: Group): string | undefined =>
    !isOperator && group.system_permissions.length > 0 ? t('groups.ofOperators') : undefined
}

/**
 * Actions for a single group and for bulk selections. Actions that the server would refuse are disabled with a reason.
 */
export function useGroupActions(deleted?: () => void) {
  const t = useT('identity')
  const go = useAppNavigate()
  const may = useMay()
  const barredBecause = useGroupBar()
  const removal = useDeleteActions(groupResource, {
    note: t('groups.deleteNote'),
    refresh: [users.list, users.view, projects.list, projects.view],
    barredBecause,
    deleted,
  })
  const { paths } = groupResource
  const change = (group: Group, label: string, icon: RowAction['icon'], place: string): RowAction => ({
    ...{ label, icon },
    run: () => go(place, { keepsSearch: true }),
    disabledBecause: barredBecause(group),
    about: { call: 'groups.update', thing: group },
  })
  return {
    bulk: removal.bulk,
    actions: (group: Group): RowAction[] => [
      ...(may(groups.update.needs)
        ? [
            change(group, t('groups.edit'), EditIcon, paths.edit(group.id)),
            {
              ...change(group, t('groups.addMembers'), UsersIcon, paths.below(group.id, 'add-members')),
              ...(isOfDirectory(group) && { disabledBecause: t('groups.ofDirectory') }),
            },
            change(group, t('groups.assign'), AttachIcon, paths.below(group.id, 'assign')),
          ]
        : []),
      ...removal.action(group),
    ],
  }
}
