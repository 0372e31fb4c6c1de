import { readdir, readFile } from 'node:fs/promises'
import { tapOf } from '../../../network-model/names'
import type { Machine } from './machine'

/**
 * Whether a machine's process has the tap of each interface open, by port ID; null if that cannot be determined. A tap
 * that was deleted and recreated under the same name does not count as open.
 */
export async function heldInterfacesOf({ process, record }: Machine): Promise<Map<string, boolean> | null> {
  const cards = record.spec.nics.filter(({ port, connected }) => port && connected)
  if (!process || record.onSwitches !== true || cards.length === 0) return null
  try {
    const folder = `/proc/${process.pid}/fdinfo`
    const files = await readdir(folder)
    // some descriptors may have been closed since they were listed
    const texts = await Promise.all(files.map((file) => readFile(`${folder}/${file}`, 'utf8').catch(() => '')))
    if (texts.every((text) => text === '')) return null
    const held = new Set(texts.map((text) => /^iff:\t(\S+)$/m.exec(text)?.[1]))
    return new Map(cards.map(({ id }) => [id, held.has(tapOf(id))]))
  } catch {
    // the process has exited, or may not be inspected
    return null
  }
}
