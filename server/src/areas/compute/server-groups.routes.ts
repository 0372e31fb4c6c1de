import { serverGroupKind, serverGroups, type ServerGroup } from '@mainstay/contract/compute/server-groups'
import { readFrom, serve } from '../../http/serve'
import { inProject } from '../../session/in-project'

export const serverGroupRoutes = serve(
  serverGroups,
  {
    ...readFrom<ServerGroup>(serverGroupKind),
    create: ({ scope, body }, { ports }) => ports.compute.serverGroups.create(inProject(scope), body),
    delete: ({ scope, params }, { ports }) => ports.compute.serverGroups.delete(scope, params.id),
  },
  { kind: serverGroupKind },
)
