import { groupKind, type Group } from '@mainstay/contract/identity/groups'
import { userKind, type User } from '@mainstay/contract/identity/users'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { resources } from '@mainstay/contract/resources'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serveResource } from '../../http/serve-resource'
import type { Tools } from '../../tools'
import { changeRights, directoryOf, readDirectory } from './directory.service'

const fromIndex = readDirectory<Group>(groupKind)
const usersFromIndex = readDirectory<User>(userKind)

/** Returns the IDs of all members of a group. */
async function membersOf(scope: Scope, id: string, { inventory }: Tools): Promise<string[]> {
  const ids: string[] = []
  for (let marker: string | undefined; ;) {
    const query = { group_id: id, limit: MAX_LIMIT, ...(marker !== undefined && { marker }) }
    const page = await inventory.list<User>(userKind, scope, query)
    ids.push(...page.data.map((it) => it.id))
    marker = page.pages[0]?.marker
    if (marker === undefined) return ids
  }
}

export const groupRoutes = serveResource(resources.groups, (tools) => directoryOf(tools).groups, {
  ...fromIndex,
  async update({ scope, params, body }, tools) {
    const { domain_id, id } = await fromIndex.view({ scope, params }, tools)
    const update = () => directoryOf(tools).groups.update(scope, domain_id, id, body)
    if (!body.system_permissions?.length) return update()
    return changeRights(await membersOf(scope, id, tools), tools, update)
  },
  async members({ scope, params, query }, tools) {
    await fromIndex.view({ scope, params }, tools)
    return tools.inventory.list<User>(userKind, scope, { ...query, group_id: params.id })
  },
  async addMembers({ scope, params, body }, tools) {
    const { domain_id, id, system_permissions } = await fromIndex.view({ scope, params }, tools)
    const add = () => directoryOf(tools).groups.addMembers(scope, domain_id, id, body.uuids)
    return system_permissions.length > 0 ? changeRights(body.uuids, tools, add) : add()
  },
  async removeMembers({ scope, params, body }, tools) {
    const { domain_id, id } = await fromIndex.view({ scope, params }, tools)
    await directoryOf(tools).groups.removeMembers(scope, domain_id, id, body.uuids)
  },
  async ofUser({ scope, params, query }, tools) {
    const { groups } = await usersFromIndex.view({ scope, params }, tools)
    // no group has the ID `none`, so a user without groups gets an empty list
    const ids = groups.map(({ id }) => id).join(',') || 'none'
    return tools.inventory.list<Group>(groupKind, scope, { ...query, id: `in:${ids}` })
  },
})
