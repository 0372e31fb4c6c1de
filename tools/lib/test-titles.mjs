// Finds the tests in a file: their titles, the checklist IDs in the titles, and whether they run.
import { isTest } from './repository.mjs'
import { lineAt, parse, walk } from './syntax.mjs'

/**
 * @typedef {import('./syntax.mjs').Node} Node
 * @typedef {{ title: string, line: number, runs: boolean, marks: string[] }} Test
 */

const idList = /\[\s*([A-Z][A-Z0-9]-\d+(?:[\s,;]+[A-Z][A-Z0-9]-\d+)*)\s*\]/g

/** @param {string} title @returns {string[]} */
export const idsIn = (title) => [...title.matchAll(idList)].flatMap(([, list = '']) => list.split(/[\s,;]+/))

/** @param {string} title @returns {boolean} whether it contains a computed ID, which cannot be found in the source */
export const hidesId = (title) => /\[[^\]]*…[^\]]*\]/.test(title)

/** @param {string} file @returns {boolean} whether it is a test file or a conformance suite */
export const holdsTests = (file) => isTest(file) || /^engines\/src\/conformance\/.*\.ts$/.test(file)

/** Names that may follow `test`. An empty string stands for a call such as `each(rows)`. */
const known = new Set(
  [
    '',
    'only',
    'skip',
    'todo',
    'fixme',
    'fails',
    'fail',
    'each',
    'for',
    'skipIf',
    'runIf',
    'concurrent',
    'sequential',
  ].concat(['describe', 'serial', 'parallel', 'slow']),
)
const neverRuns = new Set(['skip', 'todo', 'fixme', 'fails', 'fail'])

/**
 * Splits `test.only`, `it.each(rows)` or `test.describe.skip` into its names.
 *
 * @param {Node | undefined} callee
 * @returns {string[]}
 */
function wordsOf(callee) {
  if (!callee) return []
  switch (callee.type) {
    case 'Identifier':
      return [String(callee['name'])]
    case 'MemberExpression': {
      const { name } = /** @type {{ name?: string }} */ (callee['property'])
      return [...wordsOf(/** @type {Node} */ (callee['object'])), name ?? '']
    }
    case 'CallExpression':
      return wordsOf(/** @type {Node} */ (callee['callee']))
    case 'TaggedTemplateExpression':
      return wordsOf(/** @type {Node} */ (callee['tag']))
    default:
      return []
  }
}

/** @param {Node | undefined} node @returns {string | null} the text of a literal title, with `…` for computed parts */
function textOf(node) {
  if (node?.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null
  if (node?.type === 'TemplateLiteral') {
    const pieces = /** @type {{ value: { cooked: string } }[]} */ (node['quasis'])
    return pieces.map(({ value }) => value.cooked).join('…')
  }
  if (node?.type !== 'BinaryExpression' || node['operator'] !== '+') return null
  const left = textOf(/** @type {Node} */ (node['left']))
  const right = textOf(/** @type {Node} */ (node['right']))
  return left === null && right === null ? null : `${left ?? '…'}${right ?? '…'}`
}

/** @param {Node[]} args @returns {boolean} whether an option such as `{ skip: true }` disables the test */
const markedByOption = (args) =>
  args.some(
    (one) =>
      one.type === 'ObjectExpression' &&
      /** @type {any[]} */ (one['properties']).some(
        ({ key, value }) => neverRuns.has(key?.name) && value?.value === true,
      ),
  )

/** @param {Node[]} args */
const hasBody = (args) =>
  args.slice(1).some(({ type }) => !['ObjectExpression', 'Literal', 'TemplateLiteral'].includes(type))

/**
 * @param {string} file
 * @param {string} source
 * @returns {Test[]} tests, and those blocks (`describe`) that are marked
 */
export function testsIn(file, source) {
  /** @type {Test[]} */
  const tests = []
  let skipping = 0
  walk(/** @type {any} */ (parse(file, source).program), (node) => {
    if (node.type !== 'CallExpression') return undefined
    const [head = '', ...marks] = wordsOf(/** @type {Node} */ (node['callee']))
    const isBlock = /^(x?describe|suite)$/.test(head) || marks.includes('describe')
    if (!isBlock && !/^(it|x?test|[a-z]\w*Test)$/.test(head)) return undefined
    // `it` may also be the parameter of an arrow function
    if (!marks.every((mark) => known.has(mark))) return undefined
    const args = /** @type {Node[]} */ (node['arguments'])
    const title = textOf(args[0])
    // `test.each(rows)` and `test.skip(condition)` have no title
    if (title === null || marks.includes('step')) return undefined
    const off = head.startsWith('x') || marks.some((mark) => neverRuns.has(mark)) || markedByOption(args)
    const runs = skipping === 0 && !off && (isBlock || hasBody(args))
    if (!isBlock || off || marks.includes('only')) {
      const all = off && !marks.some((mark) => neverRuns.has(mark)) ? [...marks, 'skip'] : marks
      tests.push({ title, line: lineAt(source, node.start), runs, marks: isBlock ? ['describe', ...all] : all })
    }
    if (!isBlock || !off) return undefined
    skipping += 1
    return () => void (skipping -= 1)
  })
  return tests
}
