import { volumesThatGo } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { Composed } from '@mainstay/engines/ports/engine'
import type { Inventory } from '../inventory/types'

/**
 * The commands of all engines, of which those that delete refuse what is locked. Whoever deletes something does it by them:
 * a call, a bulk run and its dry run. A row that the caller may not see is left to the command, which does not find it.
 */
export function obeyDeletionLocks(
  { ports, areas }: Pick<Composed, 'ports' | 'areas'>,
  inventory: Pick<Inventory, 'several' | 'rowsOf' | 'deleting'>,
): Composed['ports'] {
  const { instances } = ports.compute
  const { volumes } = ports.storage
  const guarded = { ...ports }
  if (areas.compute.engine)
    guarded.compute = {
      ...ports.compute,
      instances: {
        ...instances,
        async delete(scope, id, deleteVolumes) {
          const [row] = await inventory.several<Instance>(instanceKind, scope, [id])
          const volumeIds = row ? volumesThatGo(row, deleteVolumes).map((volume) => volume.id) : []
          const rows = [...(await inventory.rowsOf(volumeKind, volumeIds)).values()] as unknown as Volume[]
          const going = [
            ...(row ? [{ kind: instanceKind.name, id, name: row.name }] : []),
            ...rows.map((volume) => ({ kind: volumeKind.name, id: volume.id, name: volume.name })),
          ]
          return inventory.deleting({ going, askedFor: id }, () => instances.delete(scope, id, deleteVolumes))
        },
      },
    }
  if (areas.storage.engine)
    guarded.storage = {
      ...ports.storage,
      volumes: {
        ...volumes,
        async delete(scope, id) {
          const rows = await inventory.several<Volume>(volumeKind, scope, [id])
          const going = rows.map(({ name }) => ({ kind: volumeKind.name, id, name }))
          return inventory.deleting({ going, askedFor: id }, () => volumes.delete(scope, id))
        },
      },
    }
  return guarded
}
