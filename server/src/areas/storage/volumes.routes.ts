import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { readFrom, serve } from '../../http/serve'
import { inProject } from '../../session/in-project'

export const volumeRoutes = serve(
  volumes,
  {
    ...readFrom<Volume>(volumeKind),
    create: ({ scope, body }, { compute }) => compute.volumes.create(inProject(scope), body),
    update: ({ scope, params, body }, { compute }) => compute.volumes.update(scope, params.id, body),
    delete: ({ scope, params }, { compute }) => compute.volumes.delete(scope, params.id),
    extend: ({ scope, params, body }, { compute }) => compute.volumes.extend(scope, params.id, body.size),
    resetState: ({ scope, params }, { compute }) => compute.volumes.resetState(scope, params.id),
  },
  { kind: volumeKind },
)
