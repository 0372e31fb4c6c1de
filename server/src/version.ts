import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Which build of the console is served: its page names every file by its content. */
function buildOf(consoleFolder: string): string {
  try {
    return createHash('sha256')
      .update(readFileSync(path.join(consoleFolder, 'index.html')))
      .digest('hex')
      .slice(0, 12)
  } catch {
    return 'none'
  }
}

export const versionOf = (consoleFolder: string) => ({ version: '0.1.0', release: '1', build: buildOf(consoleFolder) })
