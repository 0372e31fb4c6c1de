import { optionOf } from '@mainstay/contract/core/command-words'
import { parentNames } from '@mainstay/contract/core/endpoint'
import { hereText } from './curl'
import { inQuotes } from './quote'
import type { ShownRequest } from './request'

const isWord = (value: unknown): value is string => typeof value === 'string'

/** Whether a value can be an option. Null, multi-line list items and text that looks like a file require `--body`. */
const canBeOption = (value: unknown) =>
  value !== null && !(isWord(value) && value.startsWith('@')) && !(Array.isArray(value) && value.some(isLongWord))
/** Calls whose body is arbitrary JSON and has no options. */
const anyBody = new Set(['domainProperties.update'])

const isLongWord = (value: unknown) => isWord(value) && value.includes('\n')

function optionText(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? optionOf(name) : `${optionOf(name)}=false`
  if (isWord(value)) return `${optionOf(name)}${value.startsWith('-') || value === '' ? '=' : ' '}${inQuotes(value)}`
  if (typeof value === 'number') return `${optionOf(name)}${value < 0 ? '=' : ' '}${value}`
  return `${optionOf(name)} ${inQuotes(JSON.stringify(value))}`
}

/** The request as a `mainstay` command. */
export function commandOf({ id, words, path, params, query, body, secrets }: ShownRequest): string {
  const parents = new Set(parentNames(path))
  const given = Object.entries(params)
  const places = given.flatMap(([name, it]) => (parents.has(name) ? [] : inQuotes(it)))
  const start = ['mainstay', ...words, ...places].join(' ')
  const options = [...given.filter(([name]) => parents.has(name)), ...Object.entries(query)].map(([name, value]) =>
    optionText(name, value),
  )
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const fields = isObject ? Object.entries(body) : []
  if (isObject && secrets.length === 0 && !anyBody.has(id) && fields.every(([, value]) => canBeOption(value)))
    options.push(...fields.map(([name, value]) => optionText(name, value)))
  else if (body !== undefined) options.push(`--body - ${hereText(body, secrets)}`)
  return [start, ...options.map((option) => `  ${option}`)].join(' \\\n')
}
