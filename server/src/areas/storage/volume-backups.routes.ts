import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import { problem } from '@mainstay/contract/core/problems'
import { resources } from '@mainstay/contract/resources'
import { volumeBackupKind, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Scope } from '@mainstay/engines/ports/scope'
import { everyRow } from '../../http/rows/every-row'
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
  async checkRestore({ scope, params, query }, tools) {
    const point = await tools.inventory.view<VolumeBackup>(volumeBackupKind, scope, params.id)
    const points = query.instant === 'true' ? await togetherWith(tools, scope, point) : [point]
    const size = points.reduce((sum, one) => sum + one.size, 0)
    return {
      checks: await tools.ports.storage.volumeBackups.checkRestore(
        scope,
        points.map(({ id }) => id),
      ),
      estimated_seconds: await estimateRestore(tools, scope, size),
    }
  },
  verify: ({ scope, params }, { ports }) => ports.storage.volumeBackups.verify(scope, params.id),
})

const MOST_TOGETHER = 100

const togetherWith = async (
  { inventory }: Tools,
  scope: Scope,
  { instant_id }: VolumeBackup,
): Promise<VolumeBackup[]> =>
  (await everyRow<VolumeBackup>({ inventory }, volumeBackupKind, scope, { most: MOST_TOGETHER, instant_id })).rows

/** Duration of restoring this many bytes, in seconds, judged by the last restores; null if there are none. */
async function estimateRestore({ inventory }: Tools, scope: Scope, size: number): Promise<number | null> {
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
