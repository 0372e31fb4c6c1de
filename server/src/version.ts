import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Changes with every build: what is running, by its content. Run from sources, it changes with every start. */
function buildId(): string {
  try {
    return createHash('sha256')
      .update(readFileSync(new URL(import.meta.url)))
      .digest('hex')
      .slice(0, 12)
  } catch {
    return 'unknown'
  }
}

export const version = { version: '0.1.0', release: '1', build: buildId() }
