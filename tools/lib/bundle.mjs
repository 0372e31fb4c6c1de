import { readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

/**
 * @typedef {{ file: string, src?: string, name?: string, isEntry?: boolean, imports?: string[], dynamicImports?: string[] }} Chunk
 * @typedef {Record<string, Chunk>} Manifest of Vite
 * @typedef {{ name: string, limitBytes: number, pages: readonly RegExp[] }} Group
 *   what a person loads until a page shows: the entry, the pages, and all that these import at once
 * @typedef {{ library: string, says: string }} Heavy a library that waits for its screen, and a text that survives minifying
 */

/**
 * The chunk files of a group.
 *
 * @param {Manifest} manifest
 * @param {readonly RegExp[]} pages each must be there: a renamed page must not make the budget easier
 */
export function filesOf(manifest, pages) {
  /** @param {RegExp} page */
  const found = (page) => {
    const keys = Object.keys(manifest).filter((key) => page.test(key))
    if (keys.length === 0) throw new Error(`no chunk of the console fits ${page}`)
    return keys
  }
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry)
  if (entries.length === 0) throw new Error('the manifest of the console has no entry')
  /** @type {Set<string>} */
  const files = new Set()
  /** @type {Set<string>} */
  const seen = new Set()
  /** @param {string} key */
  const add = (key) => {
    const chunk = manifest[key]
    if (!chunk || seen.has(key)) return
    seen.add(key)
    if (chunk.file.endsWith('.js')) files.add(chunk.file)
    chunk.imports?.forEach(add)
  }
  for (const key of [...entries, ...pages.flatMap(found)]) add(key)
  return [...files].sort()
}

/** @param {string} file */
export const brotliBytes = (file) =>
  brotliCompressSync(readFileSync(file), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length

/**
 * @param {string} folder the built console
 * @param {Manifest} manifest
 * @param {readonly Group[]} groups
 * @param {readonly Heavy[]} heavy
 * @returns {{ lines: string[], faults: string[] }}
 */
export function checkBundle(folder, manifest, groups, heavy) {
  /** @type {string[]} */
  const lines = []
  /** @type {string[]} */
  const faults = []
  const initial = new Set()
  for (const { name, limitBytes, pages } of groups) {
    const files = filesOf(manifest, pages)
    for (const file of files) initial.add(file)
    const bytes = files.reduce((sum, file) => sum + brotliBytes(path.join(folder, file)), 0)
    const said = `${name}: ${(bytes / 1000).toFixed(1)} of ${limitBytes / 1000} kB of JavaScript (br) in ${files.length} files`
    lines.push(said)
    if (bytes > limitBytes) faults.push(`${said} is too much`)
  }
  const all = [...new Set(Object.values(manifest).map(({ file }) => file))].filter((file) => file.endsWith('.js'))
  for (const { library, says } of heavy) {
    const holding = all.filter((file) => readFileSync(path.join(folder, file), 'utf8').includes(says))
    // a mark that is nowhere would make this check see nothing for ever
    if (holding.length === 0) faults.push(`${library} is in no chunk at all; is "${says}" still a text of it?`)
    for (const file of holding)
      if (initial.has(file)) faults.push(`${library} is loaded before it is needed, in ${file}`)
  }
  return { lines, faults }
}
