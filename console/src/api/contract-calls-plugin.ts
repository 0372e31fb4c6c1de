import { parseSync, type Plugin } from 'vite'

/*
 * Calls and kinds without their schemas. A list page needs the address of a call and the names of a kind's filters; the
 * shapes beside them in the contract would bring zod (23 kB br) to every first page. Only forms need those, and their
 * code comes when a form is opened.
 *
 * A module of the contract is therefore built twice: whole, and as `?calls`, in which `query`, `body`, `reply`,
 * `headers` and `entity` are left out and nothing stays that is not used. Which of the two an import gets, its name
 * tells: schemas are PascalCase here, everything else is not. The contract's own tests hold the names to that.
 */
const contract = /\/contract\/src\/[\w/-]+\.ts$/
const light = /\/contract\/src\/[\w/-]+\.ts\?calls$/
const ours = /\/console\/src\/.+\.tsx?$/
const shapes = new Set(['query', 'body', 'reply', 'headers', 'entity', 'summary'])
const isSchemaName = (name: string) => /^[A-Z][a-z]/.test(name)

interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

interface Edit {
  start: number
  end: number
  text: string
}

const apply = (code: string, edits: readonly Edit[]) =>
  edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), code)

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function walk(node: Node, visit: (node: Node) => void) {
  visit(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit)
  }
}

const nameOf = (node: unknown) => (isNode(node) ? ((node['name'] ?? node['value'] ?? '') as string) : '')
const bodyOf = (code: string) => (parseSync('module.js', code).program as unknown as { body: Node[] }).body

/** Gives each import of the contract its half. */
function splitImports(code: string): string {
  const edits: Edit[] = []
  for (const node of bodyOf(code)) {
    if (node.type !== 'ImportDeclaration') continue
    const source = nameOf(node['source'])
    if (!source.startsWith('@mainstay/contract/')) continue
    const specifiers = node['specifiers'] as Node[]
    if (specifiers.length === 0 || specifiers.some(({ type }) => type !== 'ImportSpecifier')) continue
    const write = (part: Node[], from: string) =>
      part.length === 0 ? '' : `import { ${part.map((it) => code.slice(it.start, it.end)).join(', ')} } from '${from}';`
    const isSchema = (it: Node) => isSchemaName(nameOf(it['imported']))
    edits.push({
      start: node.start,
      end: node.end,
      text:
        write(specifiers.filter(isSchema), source) +
        write(
          specifiers.filter((it) => !isSchema(it)),
          `${source}?calls`,
        ),
    })
  }
  return apply(code, edits)
}

/** The object literals in which a call or a kind is declared. */
function declared(init: Node): Node[] {
  const found: Node[] = []
  walk(init, (node) => {
    if (node.type !== 'ObjectExpression') return
    const parts = node['properties'] as Node[]
    const names = parts.map((it) => nameOf(it['key']))
    const isCall = names.includes('verb') && names.includes('path')
    const isKind = names.includes('entity') && names.includes('filters')
    const isSpread = parts.some(({ type }) => type === 'SpreadElement') && names.some((name) => shapes.has(name))
    if (isCall || isKind || isSpread) found.push(node)
  })
  return found
}

/** Leaves the shapes out, and marks what is declared as unneeded unless it is used. */
function withoutShapes(code: string): string {
  const edits: Edit[] = []
  for (const node of bodyOf(code)) {
    const isFrom = /^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type) && isNode(node['source'])
    const source = nameOf(node['source'])
    if (isFrom && source.startsWith('.')) {
      const { start, end } = node['source'] as Node
      edits.push({ start, end, text: `'${source}?calls'` })
    }
    const declaration = node.type === 'ExportNamedDeclaration' ? node['declaration'] : node
    if (!isNode(declaration) || declaration.type !== 'VariableDeclaration') continue
    for (const { init } of declaration['declarations'] as { init: unknown }[]) {
      if (!isNode(init) || init.type.endsWith('Literal')) continue
      for (const literal of declared(init)) {
        for (const property of literal['properties'] as Node[]) {
          if (!shapes.has(nameOf(property['key']))) continue
          edits.push({ start: property.start, end: property.end, text: `${nameOf(property['key'])}: undefined` })
        }
      }
      if (init.type === 'ArrowFunctionExpression') continue
      edits.push({ start: init.start, end: init.start, text: '/*#__PURE__*/ (() => (' })
      edits.push({ start: init.end, end: init.end, text: '))()' })
    }
  }
  return apply(code, edits)
}

export function contractCallsPlugin(): Plugin {
  return {
    name: 'mainstay:contract-calls',
    // after the types are gone
    enforce: 'post',
    async resolveId(source, importer, options) {
      if (!source.endsWith('?calls')) return null
      const found = await this.resolve(source.slice(0, -'?calls'.length), importer?.replace('?calls', ''), options)
      return found && contract.test(found.id) ? `${found.id}?calls` : found
    },
    transform(code, id) {
      if (light.test(id)) return { code: withoutShapes(code), map: null, moduleSideEffects: false }
      if (ours.test(id) && code.includes('@mainstay/contract/')) return { code: splitImports(code), map: null }
      return null
    },
  }
}
