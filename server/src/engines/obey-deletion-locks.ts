import { volumesToDelete } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { Composed } from '@mainstay/engines/ports/engine'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Inventory } from '../inventory/types'

/**
 * Wraps the commands of all engines so that they refuse to delete a locked row, even into the recycle bin. API calls,
 * bulk runs and dry runs all use these commands. A row that the caller may not see is left to the command, which
 * reports it as not found.
 */
export function obeyDeletionLocks(
  { ports, areas }: Pick<Composed, 'ports' | 'areas'>,
  inventory: Pick<Inventory, 'several' | 'rowsOf' | 'deleting'>,
): Composed['ports'] {
  const { instances } = ports.compute
  const { volumes } = ports.storage

  async function deletingInstance<Result>(
    scope: Scope,
    id: string,
    deleteVolumes: string[] | null,
    command: () => Promise<Result>,
  ): Promise<Result> {
    const [row] = await inventory.several<Instance>(instanceKind, scope, [id])
    const volumeIds = row ? volumesToDelete(row, deleteVolumes).map((volume) => volume.id) : []
    const rows = [...(await inventory.rowsOf(volumeKind, volumeIds)).values()] as unknown as Volume[]
    const going = [
      ...(row ? [{ kind: instanceKind.name, id, name: row.name }] : []),
      ...rows.map((volume) => ({ kind: volumeKind.name, id: volume.id, name: volume.name })),
    ]
    return inventory.deleting({ going, askedFor: id }, command)
  }

  async function deletingVolume<Result>(scope: Scope, id: string, command: () => Promise<Result>): Promise<Result> {
    const rows = await inventory.several<Volume>(volumeKind, scope, [id])
    const going = rows.map(({ name }) => ({ kind: volumeKind.name, id, name }))
    return inventory.deleting({ going, askedFor: id }, command)
  }

  const guarded = { ...ports }
  if (areas.compute.engine)
    guarded.compute = {
      ...ports.compute,
      instances: {
        ...instances,
        delete: (scope, id, chosen) => deletingInstance(scope, id, chosen, () => instances.delete(scope, id, chosen)),
        recycle: (scope, id, chosen, how) =>
          deletingInstance(scope, id, chosen, () => instances.recycle(scope, id, chosen, how)),
      },
    }
  if (areas.storage.engine)
    guarded.storage = {
      ...ports.storage,
      volumes: {
        ...volumes,
        delete: (scope, id, ...more) => deletingVolume(scope, id, () => volumes.delete(scope, id, ...more)),
        recycle: (scope, id, ...more) => deletingVolume(scope, id, () => volumes.recycle(scope, id, ...more)),
      },
    }
  return guarded
}
