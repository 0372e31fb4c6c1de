import { groupKind, groups } from '@mainstay/contract/identity/groups'
import type { MappingRule } from '@mainstay/contract/identity/provider-mapping'
import { projectKind, projects } from '@mainstay/contract/identity/projects'
import { domainPermissions, projectRoles } from '@mainstay/contract/identity/user-roles'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { permissionNames, projectRoleItems } from '../user-words'

/** The grant made by a rule: membership in a group, a domain permission, or a role in a project. */
export type Target = Pick<MappingRule, 'group_id' | 'domain_permission' | 'project_id' | 'role'>
const none: Target = { group_id: null, domain_permission: null, project_id: null, role: null }

const idOf = ({ group_id, domain_permission, project_id, role }: Target): string | null => {
  if (group_id !== null) return `group ${group_id}`
  if (domain_permission !== null) return `permission ${domain_permission}`
  return project_id === null ? null : `project ${project_id} ${role}`
}

const LIMIT = 200

/**
 * Everything that rules can grant in a domain: membership in its groups, domain permissions, and roles in its projects.
 */
export function useTargets(domainId: string | null) {
  const t = useT('identity')
  const how = {
    params: { domain_id: domainId ?? '' },
    stateIn: 'memory' as const,
    limit: LIMIT,
    isEnabled: domainId !== null,
  }
  const { rows: ofGroups } = useList(groups.list, groupKind, how)
  const { rows: ofProjects } = useList(projects.list, projectKind, how)
  const roleNames = new Map(projectRoleItems(t).map(({ id, label }) => [id, label]))
  const all: { target: Target; label: string }[] = [
    ...ofGroups.map(({ id, name }) => ({ target: { ...none, group_id: id }, label: t('providers.toGroup', { name }) })),
    ...domainPermissions.map((it) => ({
      target: { ...none, domain_permission: it },
      label: permissionNames({ system_permissions: [], domain_permissions: [it] }, t)[0] ?? it,
    })),
    ...ofProjects.flatMap(({ id, name }) =>
      projectRoles.map((role) => ({
        target: { ...none, project_id: id, role },
        label: t('providers.toProject', { name, role: roleNames.get(role) ?? role }),
      })),
    ),
  ]
  return {
    idOf,
    items: all.map(({ target, label }) => ({ id: idOf(target)!, label })),
    targetOf: (id: string | null): Target => all.find(({ target }) => idOf(target) === id)?.target ?? none,
    nameOf: (target: Target): string =>
      all.find((it) => idOf(it.target) === idOf(target))?.label ?? t('providers.gone'),
  }
}
