import { lineAt, parse, walk } from '../lib/syntax.mjs'

interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}
const child = (node: Node, key: string) => node[key] as Node

const lookUps = /^(get|find|at|getAttribute|getItem)$/
const comparisons = /^(toBe|toEqual|toStrictEqual)$/
/** What holds for no value that is absent. */
const presences = /^(toMatch|toBeTruthy|toBeDefined|toBeTypeOf|toHaveLength|toContain|toBeInstanceOf|toBeGreaterThan)$/

/** Whether this is a value that may not be there: `a?.b`, `a['b']`, `rows[0]`, `headers.get('etag')`. */
function mayBeAbsent(node: Node): boolean {
  switch (node.type) {
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'ParenthesizedExpression':
      return mayBeAbsent(child(node, 'expression'))
    case 'ChainExpression':
      return true
    case 'MemberExpression':
      return node['computed'] === true && child(node, 'property').type === 'Literal'
    case 'CallExpression': {
      const callee = child(node, 'callee')
      return callee.type === 'MemberExpression' && lookUps.test(String(child(callee, 'property')['name']))
    }
    default:
      return false
  }
}

interface Comparison {
  start: number
  sides: string[]
}

/**
 * One sentence per comparison of two values that may both be absent, which holds when neither is there.
 * One that the same file asserts to be there is none of them.
 */
export function absentFaults(file: string, source: string): string[] {
  const compared: Comparison[] = []
  const present = new Set<string>()
  const textOf = ({ start, end }: Node) => source.slice(start, end).replaceAll('!', '')
  walk(parse(file, source).program as never, (node) => {
    if (node.type !== 'CallExpression') return undefined
    const matcher = child(node, 'callee')
    if (matcher.type !== 'MemberExpression') return undefined
    const name = String(child(matcher, 'property')['name'])
    const expecting = child(matcher, 'object')
    if (expecting.type !== 'CallExpression' || child(expecting, 'callee')['name'] !== 'expect') return undefined
    const [found] = expecting['arguments'] as Node[]
    const [wanted] = node['arguments'] as Node[]
    if (!found) return undefined
    if (presences.test(name)) present.add(textOf(found))
    if (!wanted || !comparisons.test(name)) return undefined
    if (mayBeAbsent(found) && mayBeAbsent(wanted))
      compared.push({ start: node.start, sides: [textOf(found), textOf(wanted)] })
    // compared with something that is there
    else if (!/^(undefined|null)$/.test(textOf(wanted))) present.add(textOf(found))
    return undefined
  })
  return compared
    .filter(({ sides }) => !sides.some((side) => present.has(side)))
    .map(({ start, sides }) => `${file}:${lineAt(source, start)} holds when neither is there: ${sides.join(' and ')}`)
}
