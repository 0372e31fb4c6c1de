import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { consolePages } from './http/static-files'

/**
 * Hash that identifies the console build. It covers the pages only, because they name every other file by its content.
 */
function buildOf(consoleFolder: string): string {
  try {
    const hash = createHash('sha256')
    for (const page of Object.values(consolePages)) hash.update(readFileSync(path.join(consoleFolder, page)))
    return hash.digest('hex').slice(0, 12)
  } catch {
    return 'none'
  }
}

export const versionOf = (consoleFolder: string) => ({ version: '0.1.0', release: '1', build: buildOf(consoleFolder) })
