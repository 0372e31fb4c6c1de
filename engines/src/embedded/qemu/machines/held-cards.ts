import { readdir, readFile } from 'node:fs/promises'
import { tapOf } from '../../../network-model/names'
import type { Machine } from './machine'

/**
 * Whether the process of a machine has each of its cards on the switches open, by the ids of their ports; null where that cannot be
 * seen. One that was deleted and made again under the same name is not the one that the process has.
 */
export async function heldInterfacesOf({ process, record }: Machine): Promise<Map<string, boolean> | null> {
  const cards = record.spec.nics.filter(({ port, connected }) => port && connected)
  if (!process || record.onSwitches !== true || cards.length === 0) return null
  try {
    const folder = `/proc/${process.pid}/fdinfo`
    const files = await readdir(folder)
    // some are closed meanwhile
    const texts = await Promise.all(files.map((file) => readFile(`${folder}/${file}`, 'utf8').catch(() => '')))
    if (texts.every((text) => text === '')) return null
    const held = new Set(texts.map((text) => /^iff:\t(\S+)$/m.exec(text)?.[1]))
    return new Map(cards.map(({ id }) => [id, held.has(tapOf(id))]))
  } catch {
    // it has ended meanwhile, or may not be looked at
    return null
  }
}
