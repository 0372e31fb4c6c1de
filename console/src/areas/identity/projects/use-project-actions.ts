import { quotas } from '@mainstay/contract/compute/quotas'
import { projects, type Project } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useDeleteActions } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { useSession } from '../../../session/session'
import { AttachIcon, DetachIcon, EditIcon, MetricsIcon } from '../../../ui/icons'
import { useEnabling } from '../use-enabling'
import { confirmDeleteProject } from './delete-project'
import { projectResource } from './resource'

/** Actions for a single project and for bulk selections. */
export function useProjectActions(deleted?: () => void) {
  const t = useT('identity')
  const go = useAppNavigate()
  const may = useMay()
  const save = useCall(projects.update, { refresh: [projects.list] })
  const enable = ({ id }: Project, enabled: boolean, signal?: AbortSignal) =>
    save.run({ params: { id }, body: { enabled } }, signal && { signal })
  const enabling = useEnabling('projects', projects.update.needs, enable)
  const note = t('projects.deleteNote')
  const leavesUsers = { refresh: [projects.list, users.list, users.view] }
  const remove = useCall(projects.delete, leavesUsers)
  const removeAll = useCall(projects.deleteWithContents, leavesUsers)
  const removal = useDeleteActions(projectResource, {
    note,
    noteOfMany: () => t('projects.deleteManyNote'),
    refresh: leavesUsers.refresh,
    deleted,
    ask: (project) =>
      confirmDeleteProject(project, {
        note,
        remove: ({ id }, signal) => remove.run({ params: { id } }, { signal }),
        removeAll: ({ id }, signal) => removeAll.run({ params: { id } }, { signal }),
      }),
  })
  const to = (place: string) => () => go(place, { keepsSearch: true })
  const { paths } = projectResource
  const edit = ({ id }: Project): RowAction => ({ label: t('projects.edit'), icon: EditIcon, run: to(paths.edit(id)) })
  const members = ({ id, members_count }: Project): RowAction[] => [
    { label: t('projects.assign'), icon: AttachIcon, run: to(paths.below(id, 'assign')) },
    {
      label: t('projects.removeMany'),
      icon: DetachIcon,
      run: to(paths.below(id, 'unassign')),
      disabledBecause: members_count === 0 ? t('projects.noMembers') : undefined,
    },
  ]
  const isSettable = useSession(({ meta }) => (meta?.settable_quotas.of_projects.length ?? 0) > 0)
  const setQuotas = ({ id }: Project): RowAction => ({
    label: t('quotas.set'),
    icon: MetricsIcon,
    run: to(paths.below(id, 'set-quotas')),
  })
  return {
    bulk: [...enabling.bulk, ...removal.bulk],
    actions: (project: Project): RowAction[] => [
      ...(may(projects.update.needs) ? [edit(project)] : []),
      ...(isSettable && may(quotas.set.needs) ? [setQuotas(project)] : []),
      ...(may(users.update.needs) ? members(project) : []),
      ...enabling.action(project),
      ...removal.action(project),
    ],
  }
}
