import type { DropZoneProps } from 'react-aria-components/DropZone'
import type { Picked } from './queue'

type DropItem = Parameters<NonNullable<DropZoneProps['onDrop']>>[0]['items'][number]

/** Files and folders that were dropped, each file with its folders before its name. An empty folder is one without a file. */
export async function droppedFiles(items: Iterable<DropItem>): Promise<Picked[]> {
  const found: Picked[] = []
  for (const item of items) {
    if (item.kind === 'file') found.push({ path: item.name, file: await item.getFile() })
    else if (item.kind === 'directory') {
      const inside: DropItem[] = []
      for await (const entry of item.getEntries()) inside.push(entry)
      if (inside.length === 0) found.push({ path: item.name, file: null })
      for (const { path, file } of await droppedFiles(inside)) found.push({ path: `${item.name}/${path}`, file })
    }
  }
  return found
}

/** Files of a chooser; those of a folder know where in it they are. */
export const chosenFiles = (files: readonly File[]): Picked[] =>
  files.map((file) => ({ path: file.webkitRelativePath || file.name, file }))
