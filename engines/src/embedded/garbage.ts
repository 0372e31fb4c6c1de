import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Image } from '@mainstay/contract/compute/images'
import type { Entity } from '../ports/records'
import type { RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import type { Engine } from './engine'
import { RECYCLED } from './storage/recycle-bin/items'

/** Removes files and machines that have no row. Call only after `checkFolderOwner` has checked the folder. */
export async function collectGarbage(engine: Engine): Promise<void> {
  const { records, files, hypervisor, log } = engine
  const inBin = await idsInBin(engine)
  for (const { folder: place, kind } of files.folders) {
    for (const name of await readdir(place)) {
      const id = name.replace(/\..*$/, '')
      if (inBin.has(id) && !name.endsWith('.part')) continue
      const row = await records.transaction((tx) => tx.get<Entity>(kind, id))
      if (row && !isLeftOver(name, place === engine.files.folders[2]?.folder, row)) continue
      log.info({ file: name, kind }, 'removing an orphaned file')
      await rm(join(place, name), { force: true })
    }
  }
  const known = await hypervisor.machines.known()
  // a simulated world has too many machines to check each one
  if (known.length > 10_000) return
  for (const { id } of known) {
    if (inBin.has(id) || (await records.transaction((tx) => tx.get('server', id)))) continue
    log.info({ machine: id }, 'removing an orphaned virtual machine')
    await hypervisor.machines.forget(id)
  }
}

/** Returns the IDs of the machines and volumes in the recycle bin, which have files but no rows. */
async function idsInBin({ records }: Engine): Promise<Set<string>> {
  const items = await records.transaction((tx) => tx.find<RecycledItem>(RECYCLED, {}))
  return new Set(items.flatMap(({ id, volumes }) => [id, ...volumes.map((volume) => volume.id)]))
}

/** Whether a file with a row is a leftover: an unfinished upload or copy that is no longer being written. */
function isLeftOver(name: string, isUpload: boolean, row: Entity): boolean {
  if (isUpload) return (row as Image).status !== 'importing'
  return name.endsWith('.part') && ['available', 'in-use', 'active', 'error'].includes(String(row['status']))
}
