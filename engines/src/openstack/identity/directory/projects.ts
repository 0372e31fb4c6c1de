import { problem } from '@mainstay/contract/core/problems'
import { requireSystemAdministrator } from '@mainstay/contract/identity/user-rules'
import * as z from 'zod'
import type { ProjectsPort } from '../../../ports/directory'
import { refuseFullProject } from '../../../ports/project-contents'
import { duplicateName } from './advice'
import type { DirectoryContext, Touched } from './context'
import { changeGrants } from './giving'
import { readGrants, readRoles } from './grants'
import { inSteps } from './steps'
import { refuseAccount } from './rules'
import { WireId } from './wire'
import { allOf, at, idsOf } from './world'

/** Returns the users and groups that have a role in a project. Their rows list the project. */
async function concernedBy({ caller }: DirectoryContext, id: string): Promise<Touched> {
  const item = z.object({ user: WireId.optional(), group: WireId.optional() })
  const query = { 'scope.project.id': id }
  const given = await allOf(caller, '/role_assignments', 'role_assignments', item, query)
  const group = given.flatMap((it) => it.group?.id ?? [])
  const members = await Promise.all(group.map((one) => idsOf(caller, `${at('groups', one)}/users`, 'users')))
  return { group, user: [...given.flatMap((it) => it.user?.id ?? []), ...members.flat()] }
}

async function refuseOwn(directory: DirectoryContext, id: string, done: 'deleted' | 'disabled'): Promise<void> {
  if (id === (await directory.adminProjectId())) throw problem('identity.project_of_console', { done })
}

export const projectCommands = (directory: DirectoryContext): ProjectsPort => ({
  async create(scope, domainId, { name, description, enabled, tags }) {
    await directory.domain(domainId)
    const send = await directory.commands(scope, 'project')
    const body = { project: { name, description, enabled, tags, domain_id: domainId } }
    const { project } = await send('POST', 'identity', '/projects', z.object({ project: WireId }), { body })
    return (await directory.touched({ project: [project.id], domain: [domainId] })).project(project.id)
  },

  async update(scope, domainId, id, change) {
    await directory.project(domainId, id)
    if (change.enabled === false) await refuseOwn(directory, id, 'disabled')
    // Keystone in the Zed release closes the connection if another project has this name
    if (change.name !== undefined) {
      const named = await idsOf(directory.caller, '/projects', 'projects', { domain_id: domainId, name: change.name })
      if (named.some((other) => other !== id)) throw duplicateName('project')
    }
    const send = await directory.commands(scope, 'project')
    await send('PATCH', 'identity', at('projects', id), z.void(), { body: { project: change } })
    return (await directory.touched({ project: [id] }, [`project:${id}`])).project(id)
  },

  async delete(scope, domainId, id) {
    await directory.project(domainId, id)
    await refuseOwn(directory, id, 'deleted')
    await directory.records.transaction((tx) => refuseFullProject(tx, id))
    const concerned = await concernedBy(directory, id)
    const send = await directory.commands(scope, 'project')
    await send('DELETE', 'identity', at('projects', id), z.void())
    await directory.touched({ ...concerned, project: [id], domain: [domainId] }, [`project:${id}`])
  },

  async removeMembers(scope, domainId, id, userIds) {
    await directory.project(domainId, id)
    const { caller } = directory
    const [book, accountId] = [await readRoles(caller), await directory.accountId()]
    const given = await readGrants(caller, book)
    const members = [...new Set(userIds)].map((user) => ({
      user,
      take: given.filter(({ to, place }) => to.id === user && place.on === 'project' && place.id === id),
    }))
    for (const { user, take } of members) {
      if (take.length > 0) refuseAccount(user, accountId, 'removed')
      // an administrator of any project administers the whole cloud
      if (take.some(({ role }) => role.name === 'admin')) requireSystemAdministrator(scope, { roles: ['admin'] })
    }
    const send = await directory.commands(scope, 'project')
    await inSteps(async (step) => {
      for (const { user, take } of members)
        await changeGrants({ step, send, caller, book }, { kind: 'user', id: user }, { give: [], take })
    })
    const gone = members.flatMap(({ user, take }) => (take.length > 0 ? [user] : []))
    await directory.touched({ user: gone, project: [id] })
  },
})
