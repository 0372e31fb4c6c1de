import type { ProjectRole } from '@mainstay/contract/identity/user-roles'
import { projectKind, projects } from '@mainstay/contract/identity/projects'
import { rightsOf, roleInProject } from '@mainstay/contract/identity/rights'
import { users, type User } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { AddLink } from '../../../patterns/AddLink'
import { useMay } from '../../../session/may'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { Assignments } from '../Assignments'
import { projectResource } from '../projects/resource'
import { viaGroups } from '../user-words'
import { userResource } from './resource'

const mostShown = 200

/** The projects that a user is assigned to, and their role in each. */
export function UserProjects({ user }: { user: User }) {
  const t = useT('identity')
  const may = useMay()
  const { id, name, assigned_projects: assigned } = user
  const ids = [...new Set(rightsOf(user).assigned_projects.map((it) => it.project_id))]
  const { rows, isLoading } = useList(projects.list, projectKind, {
    stateIn: 'memory',
    only: { id: `in:${ids.slice(0, mostShown).join(',')}` },
    limit: mostShown,
    isEnabled: ids.length > 0,
  })
  const update = useCall(users.update, { refresh: [users.list, users.view, projects.list] })
  const assign = (project_id: string, role: ProjectRole | 'none') =>
    update.run({ params: { id }, body: { assigned_projects: [{ project_id, role }] } })
  const add = (
    <AddLink to={userResource.paths.below(id, 'assign')} needs={users.update.needs}>
      {t('users.assign')}
    </AddLink>
  )
  if (ids.length === 0) return <EmptyState action={add}>{t('users.noProjects')}</EmptyState>
  return (
    <>
      {add}
      <Assignments
        label={t('users.projects')}
        isLoading={isLoading}
        mayChange={may(users.update.needs)}
        rows={rows.map((project) => ({
          id: project.id,
          name: project.name,
          to: projectResource.paths.view(project.id),
          // roles granted by a group can be removed only in the group
          role: assigned.find((it) => it.project_id === project.id)?.role ?? roleInProject(user, project.id) ?? 'none',
          note: viaGroups(user, project.id, t),
          isFixed: !assigned.some((it) => it.project_id === project.id),
        }))}
        removeLabel={(project) => t('users.unassign', { name: project })}
        onChange={(project, role) => assign(project.id, role)}
        onRemove={async (project) => {
          await assign(project.id, 'none')
          toast(t('users.unassigned', { name, project: project.name }))
        }}
      />
    </>
  )
}
