import { lineAt, parse, walk, type Node } from '../lib/syntax.mjs'

type Messages = Readonly<Record<string, string>>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** A value beside a colon, in brackets, or after a mark is a list; anywhere else it is a part of a sentence. */
const isApart = (message: string, name: string) => {
  const gap = `\\{${name}\\}`
  return new RegExp(`^${gap}(:| \\()|(: |, )${gap}(\\.|,|$)|\\(${gap}\\)|^${gap}$`).test(message)
}

/** What a file calls the functions that give it texts: `t`, and what `useT()` and its like give. */
const translators = (source: string) =>
  new Set(['t', ...[...source.matchAll(/const (\w+) = (?:useT|textsNow|useResourceText)\(/g)].map(([, name]) => name)])

/** The key that a call such as `t('sshKeys.one')` looks up; undefined for any other expression. */
function lookedUp(value: unknown, messages: Messages, says: ReadonlySet<unknown>): string | undefined {
  if (!isNode(value)) return undefined
  if (value.type === 'ConditionalExpression')
    return lookedUp(value['consequent'], messages, says) ?? lookedUp(value['alternate'], messages, says)
  if (value.type !== 'CallExpression' || !isNode(value['callee']) || !says.has(value['callee']['name']))
    return undefined
  const [first] = value['arguments'] as Node[]
  const key = first?.type === 'Literal' ? first['value'] : undefined
  return typeof key === 'string' && key in messages ? key : undefined
}

/**
 * Sentences that put one text of the catalogue into another: in most languages a noun changes with the sentence around it. A
 * translator needs a whole sentence for each.
 */
export function composedTexts(file: string, source: string, messages: Messages): string[] {
  const found: string[] = []
  const says = translators(source)
  walk(parse(file, source).program as unknown as Node, (node) => {
    if (node.type !== 'CallExpression') return undefined
    const key = lookedUp(node, messages, says)
    const [, values] = node['arguments'] as Node[]
    if (key === undefined || values?.type !== 'ObjectExpression') return undefined
    for (const property of values['properties'] as Node[]) {
      const name = isNode(property['key']) ? property['key']['name'] : undefined
      if (typeof name !== 'string' || lookedUp(property['value'], messages, says) === undefined) continue
      if (!isApart(messages[key]!, name))
        found.push(`${file}:${lineAt(source, property.start)} puts a text of the catalogue into "${messages[key]}"`)
    }
    return undefined
  })
  return found
}
