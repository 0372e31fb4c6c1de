import { optionOf } from '@mainstay/contract/core/command-words'
import { parentNames } from '@mainstay/contract/core/endpoint'
import type { Call, Option } from './calls'

/** Thrown for an invalid command line. The message says what is wrong. */
export class UsageError extends Error {}

export interface Given {
  params: Record<string, string>
  query: Record<string, string>
  headers: Record<string, string>
  body: unknown
  /** Output format, set with `--output`. */
  output: 'table' | 'json'
  columns: readonly string[] | null
  file: string | null
}

/** Returns the content referred to by `@FILE`, `-` or `@-`. */
export type ReadText = (from: string) => string

const own = {
  '--output': 'Output format: table or json. Short form: -o.',
  '--columns': 'Fields to show in the table, separated by commas.',
} as const

function valueOf({ option, type, values }: Option, text: string): unknown {
  if (values && !values.includes(text)) throw new UsageError(`${option} must be one of ${values.join(', ')}`)
  if (type === 'number') {
    const number = Number(text)
    if (text.trim() === '' || !Number.isFinite(number)) throw new UsageError(`${option} must be a number`)
    return number
  }
  if (type === 'flag') {
    if (!['true', 'false'].includes(text)) throw new UsageError(`${option} must be true or false`)
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
    throw new UsageError(`${option} must be JSON`)
  }
}

/**
 * Splits words into options and positional arguments: `--name value`, `--name=value`, `-o json`. All words after `--`
 * are positional.
 */
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

/** Parses the words after a command. Throws a `UsageError` if they are invalid. */
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
      if (text !== 'table' && text !== 'json') throw new UsageError('--output must be table or json')
      given.output = text
    } else if (option === '--columns') given.columns = text.split(',')
    else if (parentOf(option) !== undefined) given.params[parentOf(option)!] = text
    else if (option === '--file' && call.body === 'bytes') given.file = text
    else if (option === '--body' && (call.body === 'fields' || call.body === 'whole'))
      given.body = jsonOf(text === '-' || text.startsWith('@') ? read(text) : text, option)
    else {
      const known = call.options.find((it) => it.option === option)
      if (!known) throw new UsageError(`${command} has no option ${option}`)
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
    if (waiting !== undefined) throw new UsageError(`${waiting} needs a value`)
    const isFlag = call.options.some((it) => it.option === option && it.type === 'flag')
    if (text !== null) take(option, text)
    else if (isFlag) take(option, 'true')
    else waiting = option
  }
  if (waiting !== undefined) throw new UsageError(`${waiting} needs a value`)

  if (positional.length > asked.length)
    throw new UsageError(`Unexpected argument "${positional[asked.length]}" for ${command}`)
  for (const [at, param] of asked.entries()) {
    const text = positional[at]
    if (text === undefined || text === '') throw new UsageError(`${command} requires ${placeOf(param)}`)
    given.params[param] = text
  }
  const hasBody = given.body !== undefined
  if (Object.keys(fields).length > 0) given.body = { ...(given.body as object | undefined), ...fields }
  if (!hasBody) {
    const missing = call.options.filter((it) => it.where === 'body' && it.isRequired && !(it.field in fields))
    if (missing.length > 0)
      throw new UsageError(`${command} requires ${missing.map(({ option }) => option).join(', ')}`)
    if (call.body === 'whole') throw new UsageError(`${command} requires --body`)
    // all fields of the body are optional
    if (call.body === 'fields') given.body ??= {}
  }
  if (call.body === 'bytes' && given.file === null) throw new UsageError(`${command} requires --file`)
  return given
}

export const placeOf = (param: string) => param.toUpperCase()
export const ownOptions: Readonly<Record<string, string>> = own
