import { optionOf } from '@mainstay/contract/core/command-words'
import { parentNames } from '@mainstay/contract/core/endpoint'
import type { Call, Option } from './calls'

/** What was typed cannot be run; the message says why. */
export class UsageError extends Error {}

export interface Given {
  params: Record<string, string>
  query: Record<string, string>
  headers: Record<string, string>
  body: unknown
  /** What of the command itself was said. */
  output: 'table' | 'json'
  columns: readonly string[] | null
  file: string | null
}

/** What `@FILE` and `-` stand for. */
export type ReadText = (from: string) => string

const own = {
  '--output': 'table or json; -o',
  '--columns': 'fields of a table, by commas',
} as const

function valueOf({ option, type, values }: Option, text: string): unknown {
  if (values && !values.includes(text)) throw new UsageError(`${option} is one of ${values.join(', ')}`)
  if (type === 'number') {
    const number = Number(text)
    if (text.trim() === '' || !Number.isFinite(number)) throw new UsageError(`${option} takes a number`)
    return number
  }
  if (type === 'flag') {
    if (!['true', 'false'].includes(text)) throw new UsageError(`${option} takes true or false`)
    return text === 'true'
  }
  if (type === 'list' && !text.trimStart().startsWith('['))
    return text === '' ? [] : text.split(',').map((part) => part.trim())
  return type === 'text' ? text : jsonOf(text, option)
}

function jsonOf(text: string, option: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${option} takes JSON`)
  }
}

/** `--name value`, `--name=value`, `-o json`; everything after `--` is no option. */
function* wordsOf(words: readonly string[]): Generator<{ option: string | null; text: string | null }> {
  let isPlain = false
  for (const word of words) {
    if (isPlain || !/^-[-a-z]/.test(word)) yield { option: null, text: word }
    else if (word === '--') isPlain = true
    else {
      const [, option = word, text] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? []
      yield { option: option === '-o' ? '--output' : option, text: text ?? null }
    }
  }
}

/** Reads the words after a command. Throws `UsageError`. */
export function readArguments(call: Call, words: readonly string[], read: ReadText): Given {
  const given: Given = {
    params: {},
    query: {},
    headers: {},
    body: undefined,
    output: 'table',
    columns: null,
    file: null,
  }
  const fields: Record<string, unknown> = {}
  const positional: string[] = []
  const name = call.words.join(' ')
  const command = `mainstay ${name}`
  const parents = parentNames(call.path)
  const parentOf = (option: string) => parents.find((it) => optionOf(it) === option)
  const asked = call.params.filter((it) => !parents.includes(it))

  function take(option: string, text: string) {
    if (option === '--output') {
      if (text !== 'table' && text !== 'json') throw new UsageError('--output is table or json')
      given.output = text
    } else if (option === '--columns') given.columns = text.split(',')
    else if (parentOf(option) !== undefined) given.params[parentOf(option)!] = text
    else if (option === '--file' && call.body === 'bytes') given.file = text
    else if (option === '--body' && (call.body === 'fields' || call.body === 'whole'))
      given.body = jsonOf(text === '-' || text.startsWith('@') ? read(text) : text, option)
    else {
      const known = call.options.find((it) => it.option === option)
      if (!known) throw new UsageError(`${command} has no ${option}`)
      const value = known.type === 'text' && text.startsWith('@') ? read(text) : text
      if (known.where === 'body') fields[known.field] = valueOf(known, value)
      else {
        valueOf(known, value)
        given[known.where === 'query' ? 'query' : 'headers'][known.field] = value
      }
    }
  }

  let waiting: string | undefined
  for (const { option, text } of wordsOf(words)) {
    if (option === null) {
      if (waiting === undefined) positional.push(text!)
      else take(waiting, text!)
      waiting = undefined
      continue
    }
    if (waiting !== undefined) throw new UsageError(`${waiting} takes a value`)
    const isFlag = call.options.some((it) => it.option === option && it.type === 'flag')
    if (text !== null) take(option, text)
    else if (isFlag) take(option, 'true')
    else waiting = option
  }
  if (waiting !== undefined) throw new UsageError(`${waiting} takes a value`)

  if (positional.length > asked.length) throw new UsageError(`${command} takes no "${positional[asked.length]}"`)
  for (const [at, param] of asked.entries()) {
    const text = positional[at]
    if (text === undefined || text === '') throw new UsageError(`${command} takes ${placeOf(param)}`)
    given.params[param] = text
  }
  const hasBody = given.body !== undefined
  if (Object.keys(fields).length > 0) given.body = { ...(given.body as object | undefined), ...fields }
  if (!hasBody) {
    const missing = call.options.filter((it) => it.where === 'body' && it.isRequired && !(it.field in fields))
    if (missing.length > 0) throw new UsageError(`${command} takes ${missing.map(({ option }) => option).join(', ')}`)
    if (call.body === 'whole') throw new UsageError(`${command} takes --body`)
    // none of its fields has to be said
    if (call.body === 'fields') given.body ??= {}
  }
  if (call.body === 'bytes' && given.file === null) throw new UsageError(`${command} takes --file`)
  return given
}

export const placeOf = (param: string) => param.toUpperCase()
export const ownOptions: Readonly<Record<string, string>> = own
