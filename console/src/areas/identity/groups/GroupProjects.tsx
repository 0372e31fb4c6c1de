import { groups, type Group } from '@mainstay/contract/identity/groups'
import { projectKind, projects } from '@mainstay/contract/identity/projects'
import type { ProjectRole } from '@mainstay/contract/identity/user-roles'
import { users } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { AddLink } from '../../../patterns/AddLink'
import { useMay } from '../../../session/may'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { Assignments } from '../Assignments'
import { projectResource } from '../projects/resource'
import { groupResource } from './resource'
import { useGroupBar } from './use-group-actions'

/** The projects that a group is assigned to, and its role in each. */
export function GroupProjects({ group }: { group: Group }) {
  const t = useT('identity')
  const may = useMay()
  const { id, name, assigned_projects: assigned } = group
  const isBarred = useGroupBar()(group) !== undefined
  const { rows, isLoading } = useList(projects.list, projectKind, {
    stateIn: 'memory',
    only: { id: `in:${assigned.map((it) => it.project_id).join(',')}` },
    limit: 100,
    isEnabled: assigned.length > 0,
  })
  const update = useCall(groups.update, {
    refresh: [groups.list, groups.view, users.list, users.view, projects.list, projects.view],
  })
  const assign = (project_id: string, role: ProjectRole | 'none') =>
    update.run({ params: { id }, body: { assigned_projects: [{ project_id, role }] } })
  const add = !isBarred && (
    <AddLink to={groupResource.paths.below(id, 'assign')} needs={groups.update.needs}>
      {t('groups.assign')}
    </AddLink>
  )
  if (assigned.length === 0) return <EmptyState action={add}>{t('groups.noProjects')}</EmptyState>
  return (
    <>
      {add}
      <Assignments
        label={t('groups.projects')}
        isLoading={isLoading}
        mayChange={may(groups.update.needs) && !isBarred}
        rows={rows.map((project) => ({
          id: project.id,
          name: project.name,
          to: projectResource.paths.view(project.id),
          role: assigned.find((it) => it.project_id === project.id)?.role ?? 'none',
        }))}
        removeLabel={(project) => t('groups.unassign', { name: project })}
        onChange={(project, role) => assign(project.id, role)}
        onRemove={async (project) => {
          await assign(project.id, 'none')
          toast(t('users.unassigned', { name, project: project.name }))
        }}
      />
    </>
  )
}
