import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { readFrom, serve } from '../../http/serve'
import { inProject } from '../../session/in-project'

export const volumeRoutes = serve(
  volumes,
  {
    ...readFrom<Volume>(volumeKind),
    create: ({ scope, body }, { ports }) => ports.storage.volumes.create(inProject(scope), body),
    update: ({ scope, params, body }, { ports }) => ports.storage.volumes.update(scope, params.id, body),
    delete: ({ scope, params }, { ports }) => ports.storage.volumes.delete(scope, params.id),
    extend: ({ scope, params, body }, { ports }) => ports.storage.volumes.extend(scope, params.id, body.size),
    resetState: ({ scope, params }, { ports }) => ports.storage.volumes.resetState(scope, params.id),
  },
  { kind: volumeKind },
)
