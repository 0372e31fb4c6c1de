import { resources } from '@mainstay/contract/resources'
import { deletionLocksOf } from '../../http/serve'
import { serveResource } from '../../http/serve-resource'
import { inProject } from '../../session/in-project'
import { recycling } from './recycle-bin.service'

export const volumeRoutes = serveResource(resources.volumes, ({ ports }) => ports.storage.volumes, {
  ...deletionLocksOf(resources.volumes.kind),
  async delete({ scope, params, query }, tools) {
    const { volumes } = tools.ports.storage
    const how = await recycling(tools, query)
    return how ? volumes.recycle(scope, params.id, how) : volumes.delete(scope, params.id)
  },
  extend: ({ scope, params, body }, { ports }) => ports.storage.volumes.extend(scope, params.id, body.size),
  clone: ({ scope, params, body }, { ports }) => ports.storage.volumes.clone(inProject(scope), params.id, body),
  uploadToImage: ({ scope, params, body }, { ports }) =>
    ports.storage.volumes.uploadToImage(inProject(scope), params.id, body.image_name),
  resetState: ({ scope, params }, { ports }) => ports.storage.volumes.resetState(scope, params.id),
})
