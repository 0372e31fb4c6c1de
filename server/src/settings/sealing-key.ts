import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Secret } from '@mainstay/engines/ports/secret'
import type { Config } from '../config'
import { createDataKey } from '../session/sealing'

const read = async (file: string): Promise<Secret | null> => {
  try {
    return new Secret((await readFile(file, 'utf8')).trim())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * The key that encrypts secrets in settings: the configured key, which several servers can share, or one that is
 * generated once and kept in the data folder. It is never stored in the database.
 */
export async function openSealingKey({
  sealingKey,
  dataFolder,
}: Pick<Config, 'sealingKey' | 'dataFolder'>): Promise<Secret> {
  if (sealingKey !== null) return new Secret(sealingKey)
  const file = path.join(dataFolder, 'sealing.key')
  const kept = await read(file)
  if (kept) return kept
  await mkdir(dataFolder, { recursive: true })
  const made = createDataKey()
  try {
    await writeFile(file, `${made.reveal()}\n`, { mode: 0o600, flag: 'wx', flush: true })
    return made
  } catch (error) {
    // another server with this folder created the file first
    const others = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await read(file) : null
    if (others) return others
    throw error
  }
}
