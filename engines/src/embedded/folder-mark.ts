import { randomUUID } from 'node:crypto'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Records } from '../ports/records'
import type { Files } from './files'

/**
 * Checks that the records and the folder belong together: both store the same ID. With the wrong database or folder,
 * the server would treat running machines as lost and delete disks as orphans. Throws an error with a message for
 * users.
 */
export async function checkFolderOwner(records: Records, files: Files, folder: string): Promise<void> {
  const path = join(folder, 'records')
  const onDisk = await readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => null,
  )
  const isUsed = onDisk !== null && (await holdsFiles(files))
  const fresh = onDisk ?? randomUUID()
  const known = await records.transaction(async (tx) => {
    await tx.exclusive('embedded-folder')
    const noted = await tx.getPrivate<{ id: string }>('engine', 'folder')
    if (noted || isUsed) return noted?.id ?? null
    // write the folder first: a kill after this line leaves an empty folder with an ID that no record refers to
    if (onDisk === null) await writeWhole(path, `${fresh}\n`)
    await tx.putPrivate('engine', 'folder', { id: fresh })
    return fresh
  })
  if (known === fresh) return
  const whose =
    known === null
      ? `${folder} contains the disks of another database`
      : onDisk === null
        ? `the database belongs to another data folder than ${folder}`
        : `the database and ${folder} do not belong together`
  throw new Error(
    `Virtual machines and disks would be lost: ${whose}. Use the MAINSTAY_DATA and DATABASE_URL that belong together, ` +
      'or a new folder and an empty database',
  )
}

async function holdsFiles({ folders }: Files): Promise<boolean> {
  const names = await Promise.all(folders.map(({ folder }) => readdir(folder).catch(() => [])))
  return names.flat().length > 0
}

async function writeWhole(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
