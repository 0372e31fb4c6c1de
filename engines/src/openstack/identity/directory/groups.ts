import type { Group } from '@mainstay/contract/identity/groups'
import { SERVICE_ACCOUNT } from '@mainstay/contract/identity/user-roles'
import { requireSystemAdministrator, serviceInGroup } from '@mainstay/contract/identity/user-rules'
import * as z from 'zod'
import type { GroupsPort } from '../../../ports/directory'
import { checkSystemPermissions } from '../../../ports/directory-rules'
import type { Scope } from '../../../ports/scope'
import { unlessGone } from '../../read-each'
import type { DirectoryContext } from './context'
import { changeGrants } from './giving'
import { readGrants, readRoles } from './grants'
import { changeOfGrants } from './rights'
import { checkProjects } from './rules'
import { inSteps } from './steps'
import { WireId } from './wire'
import { at, idsOf } from './world'

const projectsOf = ({ assigned_projects }: Pick<Group, 'assigned_projects'>): string[] =>
  assigned_projects.map((it) => it.project_id)
const memberPath = (id: string, user: string): string => `${at('groups', id)}/users/${encodeURIComponent(user)}`

export function groupCommands(directory: DirectoryContext): GroupsPort {
  const { caller } = directory
  const membersOf = (id: string): Promise<string[]> => idsOf(caller, `${at('groups', id)}/users`, 'users')

  /** Returns the group if the scope may change it. Throws otherwise. */
  async function guarded(scope: Scope, domainId: string, id: string): Promise<Group> {
    const group = await directory.group(domainId, id)
    requireSystemAdministrator(scope, { roles: group.system_permissions }, 'group')
    return group
  }

  /**
   * Throws a `validation` error if any of the users is a service account, because these have only their own
   * permissions.
   */
  async function refuseServices(domainId: string, userIds: readonly string[]): Promise<void> {
    const book = await readRoles(caller)
    const id = book.idOf(SERVICE_ACCOUNT)
    const given = id === undefined ? [] : await readGrants(caller, book, { kind: 'role', id })
    const service = given.find(({ to }) => userIds.includes(to.id))
    if (service) throw serviceInGroup((await directory.user(domainId, service.to.id)).name)
  }

  return {
    async create(scope, domainId, draft) {
      const { name, description, assigned_projects } = draft
      await directory.domain(domainId)
      checkSystemPermissions(scope, domainId, [], draft.system_permissions)
      await checkProjects(caller, scope, assigned_projects)
      const [send, book] = [await directory.commands(scope, 'group'), await readRoles(caller)]
      const where = { homeDomainId: domainId, adminProjectId: await directory.adminProjectId(), book }
      const body = { group: { name, description, domain_id: domainId } }
      const id = await inSteps(async (step) => {
        const made = await step(
          () => send('POST', 'identity', '/groups', z.object({ group: WireId }), { body }),
          (half) => send('DELETE', 'identity', at('groups', half.group.id), z.void()),
        )
        const to = { kind: 'group', id: made.group.id } as const
        await changeGrants({ step, send, caller, book }, to, changeOfGrants([], draft, where))
        return to.id
      })
      return (await directory.touched({ group: [id], project: projectsOf(draft) })).group(id)
    },

    async update(scope, domainId, id, change) {
      const { system_permissions, domain_permissions: _, assigned_projects = [], ...attributes } = change
      const group = await guarded(scope, domainId, id)
      if (system_permissions) checkSystemPermissions(scope, domainId, group.system_permissions, system_permissions)
      await checkProjects(caller, scope, assigned_projects)
      const [book, adminProjectId] = [await readRoles(caller), await directory.adminProjectId()]
      const to = { kind: 'group', id } as const
      const given = await readGrants(caller, book, to)
      const grants = changeOfGrants(given, change, { homeDomainId: domainId, adminProjectId, book })
      const send = await directory.commands(scope, 'group')
      await inSteps(async (step) => {
        await changeGrants({ step, send, caller, book }, to, grants)
        if (Object.keys(attributes).length > 0)
          await step(() => send('PATCH', 'identity', at('groups', id), z.void(), { body: { group: attributes } }))
      })
      const project = assigned_projects.map((it) => it.project_id)
      return (await directory.touched({ user: await membersOf(id), group: [id], project })).group(id)
    },

    async delete(scope, domainId, id) {
      const group = await guarded(scope, domainId, id)
      const user = await membersOf(id)
      const send = await directory.commands(scope, 'group')
      await send('DELETE', 'identity', at('groups', id), z.void())
      await directory.touched({ user, group: [id], project: projectsOf(group) })
    },

    async addMembers(scope, domainId, id, userIds) {
      const group = await guarded(scope, domainId, id)
      const wanted = [...new Set(userIds)]
      await directory.requireUsers(domainId, wanted)
      await refuseServices(domainId, wanted)
      const before = new Set(await membersOf(id))
      const send = await directory.commands(scope, 'group')
      await inSteps(async (step) => {
        for (const user of wanted.filter((it) => !before.has(it)))
          await step(
            () => send('PUT', 'identity', memberPath(id, user), z.void()),
            () => send('DELETE', 'identity', memberPath(id, user), z.void()),
          )
      })
      return (await directory.touched({ user: wanted, group: [id], project: projectsOf(group) })).group(id)
    },

    async removeMembers(scope, domainId, id, userIds) {
      const group = await guarded(scope, domainId, id)
      const wanted = [...new Set(userIds)]
      await directory.requireUsers(domainId, wanted)
      const before = new Set(await membersOf(id))
      const send = await directory.commands(scope, 'group')
      await inSteps(async (step) => {
        for (const user of wanted.filter((it) => before.has(it)))
          await step(
            () => unlessGone(send('DELETE', 'identity', memberPath(id, user), z.void())),
            () => send('PUT', 'identity', memberPath(id, user), z.void()),
          )
      })
      await directory.touched({ user: wanted, group: [id], project: projectsOf(group) })
    },
  }
}
