import type { HeldRole, GrantingRole } from '@mainstay/contract/identity/explanations'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'

/** Roles in words. `project`: the name of the one that is asked about. */
export function useRoleWords(project: string) {
  const t = useT('permissions')
  const format = useFormat()
  const role = (one: string) => t(`role.${one}` as 'role.admin')
  const place = (given: GrantingRole['given_in']) => t(`given.${given}`, { project })
  const giver = (group: HeldRole['group']) => {
    if (group === null) return t('given.directly')
    return group.name === null ? t('given.byGroup') : t('given.byNamedGroup', { group: group.name })
  }
  return {
    role,
    place,
    /** Where it was given, and by what. */
    given: ({ given_in, group }: HeldRole) => `${place(given_in)}, ${giver(group)}`,
    /** Roles of one person in a line: "Project member in alpha, given directly". */
    list: (roles: readonly HeldRole[]) =>
      format.list(roles.map((one) => t('holders.through', { role: role(one.role), given: giver(one.group) }))),
  }
}
