import type * as z from 'zod'
import { defaultRule } from '@mainstay/contract/core/default-rules'
import { englishText } from '@mainstay/contract/core/english'
import { notFound, problem, problemOfFields } from '@mainstay/contract/core/problems'
import { says, type RuleText } from '@mainstay/contract/core/said'
import { limits } from '../limits'

type Fields = Record<string, RuleText[]>

/** Collects validation errors by field up to a limit, and counts the rest. */
class Faults {
  // no prototype, because a caller may send a field named `constructor`
  readonly #fields = Object.create(null) as Fields
  #count = 0

  add(name: string, message: RuleText): void {
    this.#count += 1
    if (this.#count <= limits.body.faults) (this.#fields[name.slice(0, MAX_PARAM_LENGTH)] ??= []).push(message)
  }
  /** Counts errors without recording them. */
  addMore(count: number): void {
    this.#count += count
  }
  get count(): number {
    return this.#count
  }
  fields(): Fields {
    const more = this.#count - limits.body.faults
    if (more <= 0) return this.#fields
    const told = says('core.more_faults', { count: more })
    return Object.assign(Object.create(null) as Fields, this.#fields, { '': [...(this.#fields[''] ?? []), told] })
  }
}

/** Characters that neither PostgreSQL nor JSON can store: NUL and lone surrogates. */
// oxlint-disable-next-line no-control-regex -- matches NUL on purpose
const unstorable = /\u0000|\p{Surrogate}/u

const MAX_PARAM_LENGTH = 255
const MAX_DEPTH = 64
/** No call needs more values than this. */
const MAX_VALUES = 20_000

const refuse = (fields: Fields): never => {
  const [field, [first = says('core.unreadable_value')] = []] = Object.entries(fields)[0] ?? ['']
  throw problemOfFields(
    'validation',
    fields,
    field === '' ? first : says('core.wrong_field', { field, reason: englishText(first) }),
  )
}

function collect(faults: Faults, issues: readonly z.core.$ZodIssue[], at: readonly PropertyKey[]): void {
  for (const issue of issues) {
    const path = [...at, ...issue.path].map(String)
    if (issue.code === 'unrecognized_keys') {
      const looked = issue.keys.slice(0, limits.body.faults)
      for (const key of looked) faults.add([...path, key].join('.'), says('core.unknown_field'))
      faults.addMore(issue.keys.length - looked.length)
    } else if (issue.code === 'invalid_union' && issue.errors.length === 1) collect(faults, issue.errors[0]!, path)
    else faults.add(path.join('.'), issue.message as RuleText)
  }
}

/**
 * Validation errors by field, with dotted paths such as `volumes.0.size`. The key '' holds errors that belong to no
 * field and the number of omitted errors.
 */
export function fieldsOf(issues: readonly z.core.$ZodIssue[]): Fields {
  const faults = new Faults()
  collect(faults, issues, [])
  return faults.fields()
}

/**
 * Refuses strings that the database cannot store, names with a special meaning in JavaScript, and more nesting or
 * values than any schema allows. Not recursive, because hostile input may be nested very deeply.
 */
function refuseUnstorable(input: unknown): void {
  const faults = new Faults()
  let values = 0
  const open: { value: unknown; path: string; depth: number }[] = [{ value: input, path: '', depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path, depth } = next
    if (typeof value === 'string') {
      if (unstorable.test(value)) faults.add(path, says('core.unstorable_text'))
    } else if (typeof value === 'object' && value !== null) {
      if (depth > MAX_DEPTH) refuse({ '': [says('core.too_deep')] })
      const names = Object.keys(value)
      values += names.length
      if (values > MAX_VALUES) refuse({ '': [says('core.too_many_values', { most: MAX_VALUES })] })
      for (const name of names) {
        const inside = (path === '' ? name : `${path}.${name}`).slice(0, MAX_PARAM_LENGTH)
        if (name === '__proto__' || unstorable.test(name)) faults.add(path, says('core.unstorable_name'))
        else open.push({ value: (value as Record<string, unknown>)[name], path: inside, depth: depth + 1 })
      }
    }
  }
  if (faults.count > 0) refuse(faults.fields())
}

/** Parses an input with a schema. Throws a single `validation` error for all invalid fields. */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  refuseUnstorable(input)
  let result: z.ZodSafeParseResult<z.output<Schema>>
  try {
    result = schema.safeParse(input, { error: defaultRule })
  } catch (error) {
    // a transform threw on a value that passed the checks
    throw problem('core.unreadable_values', {}, { cause: error })
  }
  return result.success ? result.data : refuse(fieldsOf(result.error.issues))
}

/** Parses a query string. Throws a `validation` error for a repeated parameter. */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  const twice = Object.entries(query as Record<string, unknown>).filter(([, value]) => Array.isArray(value))
  if (twice.length > 0) refuse(Object.fromEntries(twice.map(([name]) => [name, [says('core.parameter_twice')]])))
  return parse(schema, { ...(query as object) })
}

/** Checks path parameters. Throws a `not_found` error for a value that cannot be an ID. */
export function checkParams(params: unknown): Record<string, string> {
  const checked = params as Record<string, string>
  for (const value of Object.values(checked)) {
    // oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
    if (value === '' || value.length > MAX_PARAM_LENGTH || /[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(value))
      throw notFound()
  }
  return { ...checked }
}
