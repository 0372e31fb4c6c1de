import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { inRoot, isThere } from './paths.mjs'

const notSource = new Set(['node_modules', 'dist', 'testing'])

/** @param {string} relative @returns {string[]} */
function filesUnder(relative) {
  if (!isThere(relative)) return []
  if (!statSync(inRoot(relative)).isDirectory()) return [relative]
  return readdirSync(inRoot(relative), { withFileTypes: true }).flatMap((entry) => {
    if (notSource.has(entry.name) || entry.name.startsWith('.') || /\.spec\.tsx?$/.test(entry.name)) return []
    return filesUnder(path.join(relative, entry.name))
  })
}

/**
 * Hashes the content of all sources under these paths. File times are ignored, because a checkout changes them.
 *
 * @param {readonly string[]} paths
 */
export function hashOf(paths) {
  const hash = createHash('sha256')
  const files = paths.flatMap(filesUnder).sort()
  if (files.length === 0) throw new Error(`no sources in ${paths.join(', ')}`)
  for (const file of files) {
    const content = readFileSync(inRoot(file))
    hash.update(`${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}
