import { parseSync, type Plugin } from 'vite'

/*
 * Splits the contract into calls and schemas. A list page needs the path of a call and a kind's filter names; the
 * schemas in the same modules would add zod (23 kB br) to every first page. Only forms need schemas, and their code is
 * loaded when a form is opened.
 *
 * Each contract module is therefore built twice: in full, and as `?calls` without schemas and server-only properties.
 * The imported name determines which build is used: in the contract, schemas are PascalCase and everything else is not.
 * A form imports `SshKeyDraft` by name; `sshKeys.create.body` does not exist in the console.
 *
 * The first page also needs all kinds, for changes from the socket. The list of areas is therefore built a third time, as
 * `?kinds`, with only the resources that have a kind and without their calls. Otherwise it would add the calls of every
 * area to the first page.
 */
const contract = /\/contract\/src\/[\w/-]+\.ts$/
const light = /\/contract\/src\/[\w/-]+\.ts\?(calls|kinds)$/
/** Imports, within the contract, of the list of areas and of its areas. */
const areaModule = /^\.\/(areas|(?!core\/)[\w-]+\/area)$/
const ours = /\/console\/src\/.+\.tsx?$/
// schemas, plus properties of calls and kinds that only the server needs
const shapes = new Set(['query', 'body', 'reply', 'headers', 'entity', 'summary', 'summaries', 'derive', 'tolerances'])
// parts of calls that only the server and the API document need
const ofCalls = new Set(['status', 'isAct'])
// options of standard calls that affect only their status and summary
const ofStandardCalls = new Set(['accepted'])
// row visibility and storage are server-only concerns
const ofTheServer = new Set([
  ...['visibility', 'owns', 'shared', 'policies', 'systemOnly', 'hasUniqueName'],
  ...['alias', 'status', 'search', 'sums'],
])
// matches `S3Key` but not units: `MIN_VOLUME_BYTES = 1 * GiB` must be kept
const isSchemaName = (name: string) => /^[A-Z](\d[A-Z])?[a-z]/.test(name) && !/^[KMGT]iB$/.test(name)

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

/** Visits a node and its descendants; skips the children of a node for which `visit` returns false. */
function walk(node: Node, visit: (node: Node) => boolean) {
  if (!visit(node)) return
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit)
  }
}

const nameOf = (node: unknown) => (isNode(node) ? ((node['name'] ?? node['value'] ?? '') as string) : '')
const bodyOf = (code: string) => (parseSync('module.js', code).program as unknown as { body: Node[] }).body

/** Redirects contract imports: schemas to the full module, everything else to `?calls`. */
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
    const variantOf = (it: Node) => {
      const name = nameOf(it['imported'])
      return isSchemaName(name) ? '' : name === 'allKinds' ? '?kinds' : '?calls'
    }
    const writeVariant = (variant: string) =>
      write(
        specifiers.filter((it) => variantOf(it) === variant),
        source + variant,
      )
    edits.push({ start: node.start, end: node.end, text: ['', '?calls', '?kinds'].map(writeVariant).join('') })
  }
  return apply(code, edits)
}

/** PascalCase names that a module declares or imports, but not globals such as `Object` or `Math`. */
function schemaNames(body: readonly Node[]): ReadonlySet<string> {
  const names = new Set(['z'])
  const add = (node: unknown) => isSchemaName(nameOf(node)) && names.add(nameOf(node))
  for (const node of body) {
    if (node.type === 'ImportDeclaration') for (const { local } of node['specifiers'] as Node[]) add(local)
    for (const { id } of declaredIn(node)) add(id)
  }
  return names
}

/** Whether an expression is built on a schema, such as `z.string().max(5)` or `Router.pick(…)`. */
function isSchema(node: Node, names: ReadonlySet<string>): boolean {
  if (node.type === 'Identifier') return names.has(nameOf(node))
  const begins = node['callee'] ?? node['object']
  return /^(Call|Member)Expression$/.test(node.type) && isNode(begins) && isSchema(begins, names)
}

interface Declared {
  id: Node
  init: Node | null
}

function declaredIn(node: Node): Declared[] {
  const declaration = node.type === 'ExportNamedDeclaration' ? node['declaration'] : node
  const isConst = isNode(declaration) && declaration.type === 'VariableDeclaration'
  return isConst ? (declaration['declarations'] as Declared[]) : []
}

const partsOf = (node: Node) => (node.type === 'ObjectExpression' ? (node['properties'] as Node[]) : [])
const hasPart = (node: Node, name: string) => partsOf(node).some((it) => nameOf(it['key']) === name)

const isCall = (node: Node) => hasPart(node, 'verb')
const isLeftOut = (table: Node, part: Node) => {
  const name = nameOf(part['key'])
  return (
    shapes.has(name) ||
    (isCall(table) && ofCalls.has(name)) ||
    (hasPart(table, 'called') && ofStandardCalls.has(name)) ||
    (hasPart(table, 'entity') && ofTheServer.has(name))
  )
}

/** Whether an object literal defines a call, a kind, a kind's standard calls or an area, or spreads one of these. */
const isTable = (node: Node): boolean =>
  isCall(node) ||
  hasPart(node, 'resources') ||
  hasPart(node, 'entity') ||
  hasPart(node, 'called') ||
  partsOf(node).some(({ type }) => type === 'SpreadElement')

/** Removes all schemas, which leaves the zod import unused. `isOfKinds`: removes the calls of resources too. */
function withoutShapes(code: string, isOfKinds: boolean): string {
  const edits: Edit[] = []
  const leaveOut = ({ start, end }: Node, text = 'undefined') => edits.push({ start, end, text })
  const body = bodyOf(code)
  const names = schemaNames(body)

  const leaveOutPart = (part: Node) => {
    const comma = /^\s*,/.exec(code.slice(part.end))?.[0] ?? ''
    leaveOut({ ...part, end: part.end + comma.length }, '')
  }
  const leaveOutCalls = (table: Node) => {
    const resources = partsOf(table).find((part) => nameOf(part['key']) === 'resources')?.['value']
    for (const resource of isNode(resources) ? partsOf(resources) : []) {
      const value = resource['value'] as Node
      if (!hasPart(value, 'kind')) leaveOutPart(resource)
      else for (const part of partsOf(value)) if (nameOf(part['key']) === 'calls') leaveOutPart(part)
    }
  }
  const leaveOutShapes = (table: Node) => {
    if (isOfKinds && hasPart(table, 'resources')) leaveOutCalls(table)
    for (const part of table['properties'] as Node[]) {
      // the display names passed to `crud` appear only in summaries
      const words = nameOf(part['key']) === 'called' ? part['value'] : null
      if (isNode(words) && words.type === 'ArrayExpression') leaveOut(words, '[]')
      if (isLeftOut(table, part)) leaveOutPart(part)
    }
  }
  // leave function bodies alone, except for the calls that they build (`crud`)
  const visitFunction = (node: Node): boolean => {
    if (isCall(node)) leaveOutShapes(node)
    return !isCall(node)
  }
  const visit = (node: Node): boolean => {
    if (isSchema(node, names)) {
      leaveOut(node)
      return false
    }
    if (isTable(node)) {
      leaveOutShapes(node)
      for (const part of node['properties'] as Node[]) {
        if (isLeftOut(node, part)) continue
        if (isNode(part['value'])) walk(part['value'], visit)
        else if (isNode(part['argument'])) walk(part['argument'], visit)
      }
      return false
    }
    // in a call expression only the arguments may contain schemas
    if (node.type === 'CallExpression') {
      for (const argument of node['arguments'] as Node[]) walk(argument, visit)
      return false
    }
    if (node.type.includes('Function')) walk(node, visitFunction)
    return !node.type.includes('Function')
  }

  for (const node of body) {
    const source = nameOf(node['source'])
    if (node.type === 'ImportDeclaration' && source === 'zod') leaveOut(node, '')
    else if (source.startsWith('.'))
      leaveOut(node['source'] as Node, `'${source}?${isOfKinds && areaModule.test(source) ? 'kinds' : 'calls'}'`)
    const declared = node.type === 'ExportNamedDeclaration' ? node['declaration'] : node
    if (isNode(declared) && declared.type === 'FunctionDeclaration') walk(declared, visitFunction)
    for (const { init } of declaredIn(node)) {
      if (!init) continue
      walk(init, visit)
      // marks the declaration as pure, so that it can be tree-shaken when unused
      if (isSchema(init, names) || init.type.includes('Function')) continue
      edits.push({ start: init.start, end: init.start, text: '/*#__PURE__*/ (() => (' })
      edits.push({ start: init.end, end: init.end, text: '))()' })
    }
  }
  return withoutIdleImports(apply(code, edits))
}

/**
 * Removes imports used only by schemas. Chunks consist of whole modules, so unused imports would otherwise be bundled.
 */
function withoutIdleImports(code: string): string {
  const imports = bodyOf(code).filter(({ type }) => type === 'ImportDeclaration')
  const rest = apply(
    code,
    imports.map(({ start, end }) => ({ start, end, text: '' })),
  )
  const isIdle = ({ specifiers }: Node) =>
    (specifiers as Node[]).every(({ local }) => !new RegExp(`\\b${nameOf(local)}\\b`).test(rest))
  return apply(
    code,
    imports.filter(isIdle).map(({ start, end }) => ({ start, end, text: '' })),
  )
}

export function contractCallsPlugin(): Plugin {
  return {
    name: 'mainstay:contract-calls',
    // runs after types are stripped
    enforce: 'post',
    async resolveId(source, importer, options) {
      const [, file, variant] = /^(.*)(\?(?:calls|kinds))$/.exec(source) ?? []
      if (file === undefined) return null
      const found = await this.resolve(file, importer?.replace(/\?(calls|kinds)$/, ''), options)
      return found && contract.test(found.id) ? found.id + variant : found
    },
    transform(code, id) {
      if (light.test(id))
        return { code: withoutShapes(code, id.endsWith('?kinds')), map: null, moduleSideEffects: false }
      if (ours.test(id) && code.includes('@mainstay/contract/')) return { code: splitImports(code), map: null }
      return null
    },
  }
}
