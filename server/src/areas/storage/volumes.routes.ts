import { resources } from '@mainstay/contract/resources'
import { deletionLocksOf } from '../../http/serve'
import { serveResource } from '../../http/serve-resource'

export const volumeRoutes = serveResource(resources.volumes, ({ ports }) => ports.storage.volumes, {
  ...deletionLocksOf(resources.volumes.kind),
  extend: ({ scope, params, body }, { ports }) => ports.storage.volumes.extend(scope, params.id, body.size),
  resetState: ({ scope, params }, { ports }) => ports.storage.volumes.resetState(scope, params.id),
})
