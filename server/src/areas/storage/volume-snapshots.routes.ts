import { resources } from '@mainstay/contract/resources'
import { serveResource } from '../../http/serve-resource'
import { inProject } from '../../session/in-project'

export const volumeSnapshotRoutes = serveResource(
  resources.volumeSnapshots,
  ({ ports }) => ports.storage.volumeSnapshots,
  {
    revert: ({ scope, params }, { ports }) => ports.storage.volumeSnapshots.revert(scope, params.id),
    uploadToImage: ({ scope, params, body }, { ports }) =>
      ports.storage.volumeSnapshots.uploadToImage(inProject(scope), params.id, body.image_name),
    resetState: ({ scope, params }, { ports }) => ports.storage.volumeSnapshots.resetState(scope, params.id),
  },
)
