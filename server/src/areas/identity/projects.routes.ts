import type { Project } from '@mainstay/contract/identity/projects'
import { roleInProject } from '@mainstay/contract/identity/rights'
import { userKind, type User } from '@mainstay/contract/identity/users'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { resources } from '@mainstay/contract/resources'
import { requireParent } from '../../http/rows/parents'
import { serveResource } from '../../http/serve-resource'
import { directoryOf, readDirectory } from './directory.service'
import { beginRemoval, contentsOf } from './project-removal/begin-removal'

const { kind } = resources.projects
const fromIndex = readDirectory<Project>(kind)

/** Shows a user as a project member: `role` is the most privileged of the user's roles in the project. */
const memberOf =
  (projectId: string) =>
  (user: User): User => ({ ...user, role: (roleInProject(user, projectId) ?? user.role) as User['role'] })

export const projectRoutes = serveResource(resources.projects, (tools) => directoryOf(tools).projects, {
  ...fromIndex,
  async create({ scope, params, body: { parent_id, ...body } }, tools) {
    const { projects } = directoryOf(tools)
    const domainId = await requireParent(kind, scope, params, tools)
    if (typeof parent_id === 'string' && parent_id !== domainId)
      throw fieldProblem('parent_id', 'identity.project_in_project')
    return projects.create(scope, domainId, body)
  },
  async contents({ scope, params }, tools) {
    const { id } = await fromIndex.view({ scope, params }, tools)
    return contentsOf(id, tools)
  },
  async deleteWithContents({ scope, params, caller, request }, tools) {
    const project = await fromIndex.view({ scope, params }, tools)
    return beginRemoval(project, { caller, address: request.origin.address }, tools)
  },
  async members({ scope, params, query }, tools) {
    await fromIndex.view({ scope, params }, tools)
    const members = await tools.inventory.list<User>(userKind, scope, { ...query, project_id: params.id })
    return { ...members, data: members.data.map(memberOf(params.id)) }
  },
  async removeMembers({ scope, params, body }, tools) {
    const { domain_id, id } = await fromIndex.view({ scope, params }, tools)
    await directoryOf(tools).projects.removeMembers(scope, domain_id, id, body.uuids)
  },
})
