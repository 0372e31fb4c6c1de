import { PART_LIMIT } from '@mainstay/contract/core/lists/paging'
import { projects, type Project } from '@mainstay/contract/identity/projects'
import { roleInProject } from '@mainstay/contract/identity/rights'
import { userKind, users } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { AddLink } from '../../../patterns/AddLink'
import { useMay } from '../../../session/may'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { Button } from '../../../ui/Button'
import { Assignments } from '../Assignments'
import { viaGroups } from '../user-words'
import { userResource } from '../users/resource'
import { projectResource } from './resource'

/** A project's members and their roles. */
export function ProjectMembers({ project: { id, name } }: { project: Project }) {
  const t = useT('identity')
  const compute = useT('compute')
  const may = useMay()
  const list = useList(users.list, userKind, { stateIn: 'memory', only: { project_id: id }, limit: PART_LIMIT })
  const refresh = [users.list, projects.list, projects.view]
  const update = useCall(users.update, { refresh })
  const remove = useCall(projects.removeMembers, { refresh })
  // hide members that another administrator has since removed
  const members = list.rows.filter((user) => roleInProject(user, id) !== undefined)
  const add = (
    <AddLink to={projectResource.paths.below(id, 'assign')} needs={users.update.needs}>
      {t('projects.assign')}
    </AddLink>
  )
  if (!list.isLoading && members.length === 0) return <EmptyState action={add}>{t('projects.noMembers')}</EmptyState>
  return (
    <>
      {add}
      <Assignments
        label={t('projects.members')}
        isLoading={list.isLoading}
        mayChange={may(users.update.needs)}
        rows={members.map((user) => ({
          id: user.id,
          name: user.name,
          to: userResource.paths.view(user.id),
          // membership granted by a group can be removed only in the group
          role: user.assigned_projects.find((it) => it.project_id === id)?.role ?? roleInProject(user, id) ?? 'none',
          note: viaGroups(user, id, t),
          isFixed: !user.assigned_projects.some((it) => it.project_id === id),
        }))}
        removeLabel={(user) => t('projects.remove', { name: user })}
        onChange={(user, role) =>
          update.run({ params: { id: user.id }, body: { assigned_projects: [{ project_id: id, role }] } })
        }
        onRemove={async (user) => {
          await remove.run({ params: { id }, body: { uuids: [user.id] } })
          toast(t('projects.removed', { name, count: 1 }))
        }}
      />
      {list.hasMore && (
        <Button variant="plain" isBusy={list.isLoadingMore} onPress={list.loadMore}>
          {compute('pickers.more')}
        </Button>
      )}
    </>
  )
}
