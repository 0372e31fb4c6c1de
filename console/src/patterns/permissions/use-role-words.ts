import type { HeldRole, GrantingRole } from '@mainstay/contract/identity/explanations'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'

/** Formats roles. `project` is the name of the project in question. */
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
    /** Where the role was assigned, directly or through a group. */
    given: ({ given_in, group }: HeldRole) =>
      t(`held.${given_in}`, {
        project,
        group: group?.name,
        giver: group === null ? 'user' : group.name === null ? 'unnamed' : 'group',
      }),
    /** A user's roles in one line: "Project member in alpha, given directly". */
    list: (roles: readonly HeldRole[]) =>
      format.list(roles.map((one) => t('holders.through', { role: role(one.role), given: giver(one.group) }))),
  }
}
