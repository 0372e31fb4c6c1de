import { groupKind, type Group } from '@mainstay/contract/identity/groups'
import { userKind, type User } from '@mainstay/contract/identity/users'
import { resources } from '@mainstay/contract/resources'
import { serve } from '../../http/serve'
import { directoryOf, domainOfRow, readInDomain, requireDomain } from './directory.service'

const { kind, calls } = resources.groups
const fromIndex = readInDomain<Group>(kind)
const usersFromIndex = readInDomain<User>(userKind)

export const groupRoutes = serve(
  calls,
  {
    ...fromIndex,
    async create({ scope, params, body }, tools) {
      await requireDomain(scope, params.domain_id, tools)
      return directoryOf(tools).groups.create(scope, params.domain_id, body)
    },
    async update({ scope, params, body }, tools) {
      const domainId = await domainOfRow(kind, scope, params, tools)
      return directoryOf(tools).groups.update(scope, domainId, params.id, body)
    },
    async delete({ scope, params }, tools) {
      const domainId = await domainOfRow(kind, scope, params, tools)
      await directoryOf(tools).groups.delete(scope, domainId, params.id)
    },
    async members({ scope, params, query }, tools) {
      await fromIndex.view({ scope, params }, tools)
      return tools.inventory.list<User>(userKind, scope, { ...query, group_id: params.id })
    },
    async addMembers({ scope, params, body }, tools) {
      const domainId = await domainOfRow(kind, scope, params, tools)
      return directoryOf(tools).groups.addMembers(scope, domainId, params.id, body.uuids)
    },
    async removeMembers({ scope, params, body }, tools) {
      const domainId = await domainOfRow(kind, scope, params, tools)
      await directoryOf(tools).groups.removeMembers(scope, domainId, params.id, body.uuids)
    },
    async ofUser({ scope, params, query }, tools) {
      const { groups } = await usersFromIndex.view({ scope, params }, tools)
      // of a user without groups none is found: no group has such an id
      const ids = groups.map(({ id }) => id).join(',') || 'none'
      return tools.inventory.list<Group>(groupKind, scope, { ...query, id: `in:${ids}` })
    },
  },
  { kind },
)
