import { resolveImport } from '../lib/imports.mjs'
import { isCode, isTest } from '../lib/repository.mjs'
import { lineAt, parse, walk } from '../lib/syntax.mjs'

/** Test helpers in the source folders. */
const machinery = /\/(testing|conformance|recorded)\/|\/(testbed|match|example)\.ts$/
/** Files outside the product whose imports count as uses. */
const usersOfProduct = /\.config\.ts$|^console\/src\/testing\/gallery\/|^tools\/(lib\/)?[^/]+\.mjs$/

/** Returns true for product code. */
const isProduct = (file: string) =>
  /^(contract|engines|server|console|cli)\/src\//.test(file) && isCode(file) && !isTest(file) && !machinery.test(file)

const every = '*'

/** Yields the names that a module imports from other files, or `*` if it may use any of them. */
function* takenBy(file: string, source: string, files: ReadonlySet<string>): Generator<{ from: string; name: string }> {
  const { module } = parse(file, source)
  const fileOf = (specifier: string) => {
    const target = resolveImport(file, specifier, files)
    return 'file' in target ? target.file : null
  }
  const nameOf = ({ kind, name }: { kind: string; name: string | null }) =>
    kind === 'Name' ? name! : kind === 'Default' ? 'default' : every
  for (const { moduleRequest, entries } of module.staticImports) {
    const from = fileOf(moduleRequest.value)
    if (from) for (const { importName } of entries) yield { from, name: nameOf(importName) }
  }
  for (const { moduleRequest, importName } of module.staticExports.flatMap(({ entries }) => entries)) {
    const from = moduleRequest && fileOf(moduleRequest.value)
    if (from) yield { from, name: nameOf(importName) }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const from = fileOf(source.slice(moduleRequest.start + 1, moduleRequest.end - 1))
    if (from) yield { from, name: every }
  }
}

/** Counts how often a name is used in its own file, not counting its declaration and types with the same name. */
function saysItself(file: string, source: string, name: string): number {
  let said = 0
  let inOwnType = 0
  walk(parse(file, source).program as never, (node) => {
    const { id } = node as { id?: { name?: string } }
    if (node.type === 'TSTypeAliasDeclaration' && id?.name === name) {
      inOwnType++
      return () => void inOwnType--
    }
    if (/^(JSX)?Identifier$/.test(node.type) && node['name'] === name && inOwnType === 0) said++
    return undefined
  })
  return said - 1
}

/**
 * Finds exports that tests import but product code does not use: tested rules that are never applied. Returns
 * one sentence per export.
 *
 * @param sources relative path to content
 */
export function unusedRules(sources: ReadonlyMap<string, string>): { looked: number; faults: string[] } {
  const files = new Set(sources.keys())
  const taken = { product: new Set<string>(), tests: new Set<string>() }
  for (const [file, source] of sources) {
    if (!isCode(file)) continue
    const by = isProduct(file) || usersOfProduct.test(file) ? taken.product : taken.tests
    for (const { from, name } of takenBy(file, source, files)) by.add(`${from} ${name}`)
  }
  const product = [...sources].filter(([file]) => isProduct(file))
  let looked = 0
  const faults = product.flatMap(([file, source]) => {
    if (taken.product.has(`${file} ${every}`)) return []
    const exports = parse(file, source).module.staticExports.flatMap(({ entries }) => entries)
    return exports.flatMap(({ exportName, localName, isType, moduleRequest, start }) => {
      const name = exportName.kind === 'Default' ? 'default' : exportName.name
      if (isType || moduleRequest || name === null) return []
      looked++
      const isTested = taken.tests.has(`${file} ${name}`) || taken.tests.has(`${file} ${every}`)
      const isUsed = taken.product.has(`${file} ${name}`) || saysItself(file, source, localName.name ?? name) > 0
      return isUsed || !isTested ? [] : [`${file}:${lineAt(source, start)} exports ${name}, which only tests import`]
    })
  })
  return { looked, faults }
}
