import { fieldProblem } from '@mainstay/contract/core/problems'
import { rightsAfter } from '@mainstay/contract/identity/rights'
import { requireSystemAdministrator, refuseFederated, refuseMixedService } from '@mainstay/contract/identity/user-rules'
import type { User } from '@mainstay/contract/identity/users'
import * as z from 'zod'
import type { UsersPort } from '../../../ports/directory'
import { checkSystemPermissions } from '../../../ports/directory-rules'
import type { Scope } from '../../../ports/scope'
import type { DirectoryContext, Touched } from './context'
import { changeGrants } from './giving'
import { readGrants, readRoles } from './grants'
import { changeOfGrants } from './rights'
import { checkProjects, refuseAccount, refuseLockOut } from './rules'
import { inSteps } from './steps'
import { WireId } from './wire'
import { at } from './world'

const guard = (scope: Scope, { system_permissions, groups }: User): void =>
  requireSystemAdministrator(scope, {
    roles: system_permissions,
    roles_of_groups: groups.flatMap((group) => group.system_permissions),
  })

function refuseWithoutPassword(password: string | undefined): void {
  if (password === undefined) throw fieldProblem('password', 'identity.no_links_of_cloud')
}

function refuseToForce(isForced: boolean | undefined): void {
  if (isForced === true) throw fieldProblem('must_change_password', 'identity.no_forced_change')
}

/** Returns the rows that count a user or list the user's permissions. */
const countedBy = ({ assigned_projects, groups }: User): Touched => ({
  group: groups.map(({ id }) => id),
  project: [assigned_projects, ...groups.map((group) => group.assigned_projects)].flat().map((it) => it.project_id),
})

export const userCommands = (directory: DirectoryContext): UsersPort => ({
  async create(scope, domainId, draft) {
    const { caller } = directory
    const { name, password, email, description, enabled, assigned_projects } = draft
    refuseWithoutPassword(password)
    refuseToForce(draft.must_change_password)
    await directory.domain(domainId)
    checkSystemPermissions(scope, domainId, [], draft.system_permissions)
    refuseMixedService({ ...draft, groups: [], identity_provider: null })
    await checkProjects(caller, scope, assigned_projects)
    const [send, book] = [await directory.commands(scope, 'user'), await readRoles(caller)]
    const where = { homeDomainId: domainId, adminProjectId: await directory.adminProjectId(), book }
    const user = { name, domain_id: domainId, password, description, enabled, ...(email !== null && { email }) }
    const id = await inSteps(async (step) => {
      const made = await step(
        () => send('POST', 'identity', '/users', z.object({ user: WireId }), { body: { user } }),
        // an incomplete user would block the next attempt
        (half) => send('DELETE', 'identity', at('users', half.user.id), z.void()),
      )
      const to = { kind: 'user', id: made.user.id } as const
      await changeGrants({ step, send, caller, book }, to, changeOfGrants([], draft, where))
      return to.id
    })
    const project = assigned_projects.map((it) => it.project_id)
    return (await directory.touched({ user: [id], project, domain: [domainId] })).user(id)
  },

  async update(scope, domainId, id, change) {
    const { caller } = directory
    const {
      must_change_password,
      system_permissions,
      domain_permissions,
      assigned_projects = [],
      ...attributes
    } = change
    refuseToForce(must_change_password)
    const user = await directory.user(domainId, id)
    const accountId = await directory.accountId()
    guard(scope, user)
    refuseFederated(user, attributes)
    if (change.enabled === false) refuseLockOut(scope, id, accountId, 'disabled')
    if (change.password !== undefined && id === scope.user_id) throw fieldProblem('password', 'identity.own_password')
    if (system_permissions) checkSystemPermissions(scope, domainId, user.system_permissions, system_permissions)
    refuseMixedService({ ...user, ...rightsAfter(user, change) })
    await checkProjects(caller, scope, assigned_projects)
    const [book, adminProjectId] = [await readRoles(caller), await directory.adminProjectId()]
    const to = { kind: 'user', id } as const
    const given = await readGrants(caller, book, to)
    const grants = changeOfGrants(given, change, { homeDomainId: domainId, adminProjectId, book })
    if (grants.take.length > 0) refuseAccount(id, accountId, 'deprived')
    const send = await directory.commands(scope, 'user')
    await inSteps(async (step) => {
      await changeGrants({ step, send, caller, book }, to, grants)
      // last, because the previous password cannot be restored
      if (Object.keys(attributes).length > 0)
        await step(() => send('PATCH', 'identity', at('users', id), z.void(), { body: { user: attributes } }))
    })
    const project = assigned_projects.map((it) => it.project_id)
    return (await directory.touched({ user: [id], project })).user(id)
  },

  async delete(scope, domainId, id) {
    const user = await directory.user(domainId, id)
    refuseLockOut(scope, id, await directory.accountId(), 'deleted')
    guard(scope, user)
    const send = await directory.commands(scope, 'user')
    await send('DELETE', 'identity', at('users', id), z.void())
    await directory.touched({ ...countedBy(user), user: [id], domain: [domainId] })
  },
})
