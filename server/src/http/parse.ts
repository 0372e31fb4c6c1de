import type * as z from 'zod'
import { notFound, Problem } from '@mainstay/contract/core/problems'

type Fields = Record<string, string[]>

/** Without a prototype: a caller may well name a field `constructor`. */
const noFields = (): Fields => Object.create(null) as Fields

/** What neither PostgreSQL nor JSON can carry: NUL, and half of a surrogate pair. */
// oxlint-disable-next-line no-control-regex -- NUL is what is looked for
const unstorable = /\u0000|\p{Surrogate}/u

const MAX_PARAM_LENGTH = 255
const MAX_DEPTH = 64

const refuse = (fields: Fields): never => {
  const [name, messages] = Object.entries(fields)[0] ?? ['', []]
  const first = messages[0] ?? 'Invalid'
  throw new Problem('validation', name === '' ? first : `${name}: ${first}`, { fields })
}

const add = (fields: Fields, name: string, message: string) => (fields[name] ??= []).push(message)

/** The problems of a parse by field, as a dotted path: `volumes.0.size`. What belongs to no field is under ''. */
export function fieldsOf(issues: readonly z.core.$ZodIssue[], at: readonly PropertyKey[] = []): Fields {
  const fields = noFields()
  for (const issue of issues) {
    const path = [...at, ...issue.path].map(String)
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add(fields, [...path, key].join('.'), 'This field is not known')
    } else if (issue.code === 'invalid_union' && issue.errors.length === 1) {
      for (const [name, messages] of Object.entries(fieldsOf(issue.errors[0]!, path)))
        for (const message of messages) add(fields, name, message)
    } else add(fields, path.join('.'), issue.message)
  }
  return fields
}

/**
 * Refuses texts that no database can keep, names that mean something to JavaScript, and nesting that no schema
 * has, wherever they stand. Not recursive: what comes in may be deep on purpose.
 */
function refuseUnstorable(input: unknown): void {
  const fields = noFields()
  const open: { value: unknown; path: string; depth: number }[] = [{ value: input, path: '', depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path, depth } = next
    if (typeof value === 'string') {
      if (unstorable.test(value)) add(fields, path, 'Use characters that can be stored as text')
    } else if (typeof value === 'object' && value !== null) {
      if (depth > MAX_DEPTH) refuse({ '': ['This is nested too deeply'] })
      for (const [name, inner] of Object.entries(value)) {
        const inside = path === '' ? name : `${path}.${name}`
        if (name === '__proto__' || unstorable.test(name))
          add(fields, path, 'Use field names that can be stored as text')
        else open.push({ value: inner, path: inside, depth: depth + 1 })
      }
    }
  }
  if (Object.keys(fields).length > 0) refuse(fields)
}

/** What a schema makes of an input; throws `validation` with all its faults at once. */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  refuseUnstorable(input)
  let result: z.ZodSafeParseResult<z.output<Schema>>
  try {
    result = schema.safeParse(input)
  } catch (error) {
    // a transformation met what its checks had let through
    throw new Problem('validation', 'The values sent cannot be read', { cause: error })
  }
  return result.success ? result.data : refuse(fieldsOf(result.error.issues))
}

/** A query whose parameters are each given once. */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  const twice = Object.entries(query as Record<string, unknown>).filter(([, value]) => Array.isArray(value))
  if (twice.length > 0) refuse(Object.fromEntries(twice.map(([name]) => [name, ['Give this parameter once']])))
  return parse(schema, { ...(query as object) })
}

/** A path's parameters. One that can be the id of nothing is not found, like any other that names nothing. */
export function checkParams(params: unknown): Record<string, string> {
  const checked = params as Record<string, string>
  for (const value of Object.values(checked)) {
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    if (value === '' || value.length > MAX_PARAM_LENGTH || /[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(value))
      throw notFound()
  }
  return { ...checked }
}
