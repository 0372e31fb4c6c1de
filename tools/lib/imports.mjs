import path from 'node:path'
import { lineAt, parse, walk } from './syntax.mjs'

/**
 * @typedef {{ specifier: string, line: number, names: 'all' | 'some' | 'none' }} Import
 *   `all`: imported as a namespace object
 * @typedef {{ file: string } | { package: string } | { missing: string }} Target
 */

/**
 * Finds everything that a module imports: static and dynamic imports, re-exports and types.
 *
 * @param {string} file
 * @param {string} source
 * @returns {Import[]}
 */
export function importsOf(file, source) {
  const { module, program } = parse(file, source)
  /** @type {Import[]} */
  const found = []
  /** @param {string} specifier @param {number} start @param {Import['names']} names */
  const add = (specifier, start, names) => found.push({ specifier, line: lineAt(source, start), names })

  for (const { moduleRequest, entries, start } of module.staticImports) {
    const all = entries.length === 1 && entries[0]?.importName.kind === 'NamespaceObject'
    add(moduleRequest.value, start, all ? 'all' : entries.length > 0 ? 'some' : 'none')
  }
  for (const { entries, start } of module.staticExports) {
    const sources = new Set(entries.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.value] : [])))
    for (const specifier of sources) add(specifier, start, 'some')
  }
  for (const { moduleRequest } of module.dynamicImports) {
    // only quoted literals can be resolved, not computed specifiers
    const literal = /^(['"`])([^$]*)\1$/.exec(source.slice(moduleRequest.start, moduleRequest.end))
    if (literal?.[2]) add(literal[2], moduleRequest.start, 'all')
  }
  walk(/** @type {any} */ (program), (node) => {
    if (node.type !== 'TSImportType') return undefined
    const { value } = /** @type {{ value?: unknown }} */ (node['source'] ?? node['argument'] ?? {})
    if (typeof value === 'string') add(value, node.start, 'some')
    return undefined
  })
  return found
}

const endings = ['', '.ts', '.tsx', '.mjs', '.d.ts', '/index.ts', '/index.tsx']

/**
 * @param {string} importer relative path of the importing file
 * @param {string} specifier
 * @param {ReadonlySet<string>} files of the repository
 * @returns {Target}
 */
export function resolveImport(importer, specifier, files) {
  const bare = specifier.replace(/[?#].*$/, '')
  const workspace = /^@mainstay\/([^/]+)\/(.+)$/.exec(bare)
  if (!workspace && !/^\.{1,2}(\/|$)/.test(bare)) {
    return { package: bare.startsWith('node:') ? bare : bare.split('/', bare.startsWith('@') ? 2 : 1).join('/') }
  }
  const wanted = workspace
    ? `${workspace[1]}/src/${workspace[2]}`
    : path.posix.normalize(path.posix.join(path.posix.dirname(importer), bare))
  const file = endings.map((ending) => wanted + ending).find((candidate) => files.has(candidate))
  return file ? { file } : { missing: wanted }
}

/**
 * Finds import cycles: strongly connected components of more than one file, with Tarjan's algorithm.
 *
 * @param {ReadonlyMap<string, readonly string[]>} graph file to the files it imports
 * @returns {string[][]}
 */
export function cyclesIn(graph) {
  /** @type {Map<string, { index: number, low: number, open: boolean }>} */
  const seen = new Map()
  /** @type {string[]} */
  const stack = []
  /** @type {string[][]} */
  const rings = []
  /** @param {string} file */
  const visit = (file) => {
    const mark = { index: seen.size, low: seen.size, open: true }
    seen.set(file, mark)
    stack.push(file)
    for (const next of graph.get(file) ?? []) {
      const known = seen.get(next)
      if (!known) mark.low = Math.min(mark.low, visit(next).low)
      else if (known.open) mark.low = Math.min(mark.low, known.index)
    }
    if (mark.low === mark.index) {
      const ring = stack.splice(stack.indexOf(file))
      for (const member of ring) /** @type {{ open: boolean }} */ (seen.get(member)).open = false
      if (ring.length > 1 || graph.get(file)?.includes(file)) rings.push(ring)
    }
    return mark
  }
  for (const file of graph.keys()) if (!seen.has(file)) visit(file)
  return rings
}
