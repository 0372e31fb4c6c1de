import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import { problem } from '@mainstay/contract/core/problems'
import { resources } from '@mainstay/contract/resources'
import { volumeBackupKind, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serveResource } from '../../http/serve-resource'
import { inProject } from '../../session/in-project'
import type { Tools } from '../../tools'

/** Number of earlier restores from which the duration of the next one is estimated. */
const ESTIMATED_FROM = 5

export const volumeBackupRoutes = serveResource(resources.volumeBackups, ({ ports }) => ports.storage.volumeBackups, {
  async createInstant({ scope, params, body }, { ports, inventory }) {
    const { volumes } = await inventory.view<Instance>(instanceKind, scope, params.id)
    if (volumes.length === 0) throw problem('storage.no_volumes_to_back_up')
    const volume_ids = volumes.map(({ id }) => id)
    return ports.storage.volumeBackups.createInstant(inProject(scope), { ...body, volume_ids, plan: null })
  },
  restore: ({ scope, params, body }, { ports }) =>
    ports.storage.volumeBackups.restore(inProject(scope), params.id, body),
  checkRestore: async ({ scope, params }, tools) => ({
    checks: await tools.ports.storage.volumeBackups.checkRestore(scope, params.id),
    estimated_seconds: await estimateRestore(tools, scope, params.id),
  }),
  verify: ({ scope, params }, { ports }) => ports.storage.volumeBackups.verify(scope, params.id),
})

/** Duration of a restore in seconds, as long per byte as the median of the last ones; null if there are none. */
async function estimateRestore({ inventory }: Tools, scope: Scope, id: string): Promise<number | null> {
  const { size } = await inventory.view<VolumeBackup>(volumeBackupKind, scope, id)
  const { data } = await inventory.list<Task>(taskKind, scope, {
    ...{ limit: ESTIMATED_FROM, name: 'compute.volume_backup.restore', state: 'success', sort: 'created_at:desc' },
  })
  const secondsPerByte = data
    .flatMap(({ created_at, finished_at, result }) => {
      const bytes = (result as { size?: number } | null)?.size
      if (!finished_at || !bytes) return []
      return [(Date.parse(finished_at) - Date.parse(created_at)) / 1000 / bytes]
    })
    .toSorted((a, b) => a - b)
  const median = secondsPerByte[Math.floor(secondsPerByte.length / 2)]
  return median === undefined ? null : Math.max(1, Math.ceil(median * size))
}
