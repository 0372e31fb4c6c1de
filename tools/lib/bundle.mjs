import { readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

/**
 * @typedef {{ file: string, src?: string, name?: string, isEntry?: boolean, imports?: string[], dynamicImports?: string[] }} Chunk
 * @typedef {Record<string, Chunk>} Manifest written by Vite
 * @typedef {{ name: string, entry: string, limitBytes: number, pages: readonly RegExp[] }} Group
 *   the code that a browser loads before it shows a page: a panel's entry, the pages, and all their static imports
 * @typedef {{ library: string, says: string }} Heavy a library that is loaded on demand, and a string in its code
 */

/**
 * Finds the chunks that are reachable from keys in the manifest through static imports and, with `onDemand`, through
 * dynamic imports.
 *
 * @param {Manifest} manifest
 * @param {readonly string[]} from
 * @param {boolean} [onDemand]
 * @returns {Set<string>} keys in the manifest
 */
function reached(manifest, from, onDemand = false) {
  /** @type {Set<string>} */
  const seen = new Set()
  /** @param {string} key */
  const add = (key) => {
    const chunk = manifest[key]
    if (!chunk || seen.has(key)) return
    seen.add(key)
    chunk.imports?.forEach(add)
    if (onDemand) chunk.dynamicImports?.forEach(add)
  }
  from.forEach(add)
  return seen
}

/** @param {Manifest} manifest @param {string} entry */
function requireEntry(manifest, entry) {
  if (!manifest[entry]?.isEntry) throw new Error(`the manifest of the console has no entry ${entry}`)
}

/**
 * Lists the JavaScript files in a group.
 *
 * @param {Manifest} manifest
 * @param {string} entry
 * @param {readonly RegExp[]} pages each must match a chunk, so that a renamed page does not shrink the measured size
 */
export function filesOf(manifest, entry, pages) {
  requireEntry(manifest, entry)
  /** @param {RegExp} page */
  const found = (page) => {
    const keys = Object.keys(manifest).filter((key) => page.test(key))
    if (keys.length === 0) throw new Error(`the manifest of the console has no chunk for ${page}`)
    return keys
  }
  const keys = [...reached(manifest, [entry, ...pages.flatMap(found)])]
  return [...new Set(keys.map((key) => /** @type {Chunk} */ (manifest[key]).file))]
    .filter((file) => file.endsWith('.js'))
    .sort()
}

/**
 * Finds pages of one panel whose code another panel also loads.
 *
 * @param {Manifest} manifest
 * @param {string} entry entry of the panel that must not contain the pages
 * @param {readonly string[]} pages keys of the manifest; each must exist
 * @returns {string[]} one line for each error
 */
export function strayPages(manifest, entry, pages) {
  requireEntry(manifest, entry)
  const files = new Set([...reached(manifest, [entry], true)].map((key) => manifest[key]?.file))
  return pages.flatMap((page) => {
    const chunk = manifest[page]
    if (!chunk) return [`${page} is not a chunk of the console`]
    return files.has(chunk.file) ? [`${page} is a page of operators, and ${entry} loads ${chunk.file}`] : []
  })
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
  for (const { name, entry, limitBytes, pages } of groups) {
    const files = filesOf(manifest, entry, pages)
    for (const file of files) initial.add(file)
    const bytes = files.reduce((sum, file) => sum + brotliBytes(path.join(folder, file)), 0)
    const said = `${name}: ${(bytes / 1000).toFixed(1)} of ${limitBytes / 1000} kB of JavaScript (br) in ${files.length} files`
    lines.push(said)
    if (bytes > limitBytes) faults.push(`${said}: over the limit`)
  }
  const all = [...new Set(Object.values(manifest).map(({ file }) => file))].filter((file) => file.endsWith('.js'))
  for (const { library, says } of heavy) {
    const holding = all.filter((file) => readFileSync(path.join(folder, file), 'utf8').includes(says))
    // if no chunk contains the string, the check can never find anything
    if (holding.length === 0) faults.push(`${library} was not found in any chunk; does it still contain "${says}"?`)
    for (const file of holding)
      if (initial.has(file)) faults.push(`${library} is loaded before it is needed, in ${file}`)
  }
  return { lines, faults }
}
