import type { Project } from '@mainstay/contract/identity/projects'
import { roleInProject } from '@mainstay/contract/identity/rights'
import { userKind, type User } from '@mainstay/contract/identity/users'
import { badField } from '@mainstay/contract/core/problems'
import { resources } from '@mainstay/contract/resources'
import { serve } from '../../http/serve'
import { beginRemoval, contentsOf } from './project-removal/begin-removal'
import {
  deleteEach,
  directoryOf,
  domainOfRow,
  readInDomain,
  requireDomain,
  requireDomainOrAny,
} from './directory.service'

const { kind, calls } = resources.projects
const fromIndex = readInDomain<Project>(kind)

/** A user as a member of a project: with the role in it, the wider one of several. */
const memberOf =
  (projectId: string) =>
  (user: User): User => ({ ...user, role: (roleInProject(user, projectId) ?? user.role) as User['role'] })

export const projectRoutes = serve(
  calls,
  {
    ...fromIndex,
    async create({ scope, params, body: { parent_id, ...body } }, tools) {
      await requireDomain(scope, params.domain_id, tools)
      if (typeof parent_id === 'string' && parent_id !== params.domain_id)
        throw badField('parent_id', 'Projects are in their domain, and in no other project')
      return directoryOf(tools).projects.create(scope, params.domain_id, body)
    },
    async update({ scope, params, body }, tools) {
      const domainId = await domainOfRow(kind, scope, params, tools)
      return directoryOf(tools).projects.update(scope, domainId, params.id, body)
    },
    async delete({ scope, params }, tools) {
      const domainId = await domainOfRow(kind, scope, params, tools)
      await directoryOf(tools).projects.delete(scope, domainId, params.id)
    },
    async deleteSeveral({ scope, params, body }, tools) {
      await requireDomainOrAny(scope, params.domain_id, tools)
      await deleteEach(body.uuids, async (id) => {
        const domainId = await domainOfRow(kind, scope, { ...params, id }, tools)
        await directoryOf(tools).projects.delete(scope, domainId, id)
      })
    },
    async contents({ scope, params, ...call }, tools) {
      const { id } = await fromIndex.view({ scope, params, ...call }, tools)
      return contentsOf(id, tools)
    },
    async deleteWithContents({ scope, params, caller, request, ...call }, tools) {
      const project = await fromIndex.view({ scope, params, ...call }, tools)
      return beginRemoval(project, { caller, address: request.origin.address }, tools)
    },
    async members({ scope, params, query, ...call }, tools) {
      await fromIndex.view({ scope, params, ...call }, tools)
      const members = await tools.inventory.list<User>(userKind, scope, { ...query, project_id: params.id })
      return { ...members, data: members.data.map(memberOf(params.id)) }
    },
    async removeMembers({ scope, params, body }, tools) {
      const domainId = await domainOfRow(kind, scope, params, tools)
      await directoryOf(tools).projects.removeMembers(scope, domainId, params.id, body.uuids)
    },
  },
  { kind },
)
