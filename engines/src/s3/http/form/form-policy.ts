import { S3Error } from '../../errors'
import { parseUniqueJson } from '@mainstay/contract/core/unique-json'

/* POST policy: limits the uploads that a signed form allows. */

interface FieldCondition {
  operator: 'eq' | 'starts-with'
  /** Lower-case field name; null if the condition names no field, in which case it always fails. */
  field: string | null
  value: string
  /** The condition as written in the policy. */
  text: string
}
/** In bytes, inclusive. */
export interface SizeRange {
  least: number
  most: number
}
export interface FormPolicy {
  expires: number
  conditions: readonly FieldCondition[]
  sizes: readonly SizeRange[]
}

const invalid = (message: string) => new S3Error('InvalidPolicyDocument', `Invalid Policy: ${message}`)
const unmet = (message: string) => new S3Error('AccessDenied', `Invalid according to Policy: ${message}`)
const failed = (text: string) => unmet(`Policy Condition failed: ${text}`)

const written = (items: readonly unknown[]) => `[${items.map((it) => JSON.stringify(it)).join(', ')}]`

function readSizes(bounds: readonly unknown[], text: string): SizeRange {
  if (bounds.length !== 2) throw invalid('Invalid content-length-range: wrong number of arguments.')
  const [least, most] = bounds.map((bound) => {
    if (typeof bound === 'string' && !/^-?\d{1,15}$/.test(bound)) throw failed(text)
    const number = Number(bound)
    if ((typeof bound !== 'string' && typeof bound !== 'number') || !Number.isSafeInteger(number) || number < 0)
      throw invalid('Invalid content-length-range: a bound must be a number of bytes.')
    return number
  })
  return { least: least!, most: most! }
}

function readCondition(value: unknown): FieldCondition | SizeRange {
  if (typeof value !== 'object' || value === null) throw invalid('Invalid condition: must be a List or Object.')
  if (!Array.isArray(value)) {
    const [pair, ...more] = Object.entries(value) as [string, unknown][]
    if (!pair || more.length > 0)
      throw invalid('Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.')
    const [name, wanted] = pair
    if (typeof wanted !== 'string') throw invalid('Invalid Simple-Condition: value must be a string.')
    return { operator: 'eq', field: name.toLowerCase(), value: wanted, text: written(['eq', `$${name}`, wanted]) }
  }
  const [name, ...rest] = value as unknown[]
  if (typeof name !== 'string') throw invalid('Invalid Condition: missing operation identifier.')
  const text = written(value)
  const operator = name.toLowerCase()
  if (operator === 'content-length-range') return readSizes(rest, text)
  if (operator !== 'eq' && operator !== 'starts-with') throw invalid(`Invalid Condition: unknown operation '${name}'.`)
  const [field, wanted, ...more] = rest
  if (typeof field !== 'string' || typeof wanted !== 'string' || more.length > 0)
    throw invalid(`Invalid ${name}: a field and a text are its arguments.`)
  return { operator, field: field.startsWith('$') ? field.slice(1).toLowerCase() : null, value: wanted, text }
}

function readJson(base64: string): unknown {
  const compact = base64.replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) throw invalid('invalid Base64 encoding.')
  try {
    return parseUniqueJson(new TextDecoder('utf8', { fatal: true }).decode(Buffer.from(compact, 'base64')))
  } catch {
    throw invalid('Invalid JSON.')
  }
}

/** Parses a Base64-encoded policy. Throws `InvalidPolicyDocument` with the reason. */
export function readFormPolicy(base64: string): FormPolicy {
  const value = readJson(base64)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('Invalid JSON.')
  const unexpected = Object.keys(value).find((name) => name !== 'expiration' && name !== 'conditions')
  if (unexpected !== undefined) throw invalid(`Unexpected: '${unexpected}'`)
  const { expiration, conditions } = value as Record<string, unknown>
  if (expiration === undefined) throw invalid('Policy missing expiration.')
  const isTime = typeof expiration === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(expiration)
  const expires = isTime ? Date.parse(expiration) : Number.NaN
  if (Number.isNaN(expires)) throw invalid(`Invalid 'expiration' value: ${JSON.stringify(expiration)}`)
  if (conditions === undefined) throw invalid('Policy missing conditions.')
  if (!Array.isArray(conditions)) throw invalid("Invalid 'conditions' value: must be a List.")
  const read = conditions.map(readCondition)
  return {
    expires,
    conditions: read.filter((it) => 'operator' in it),
    sizes: read.filter((it) => 'least' in it),
  }
}

/** Whether a field is allowed without a condition in the policy. */
const isFree = (name: string): boolean =>
  ['awsaccesskeyid', 'file', 'policy', 'signature', 'x-amz-signature'].includes(name) ||
  name.startsWith('x-ignore-') ||
  name.startsWith('x-amz-checksum-')

function isMet({ operator, field, value }: FieldCondition, given: string): boolean {
  if (operator === 'eq') return given === value
  const texts = field === 'content-type' ? given.split(',').map((it) => it.trim()) : [given]
  return texts.every((it) => it.startsWith(value))
}

/**
 * Checks a form against its policy and returns the allowed file size. Throws `AccessDenied` if the policy has expired,
 * a condition is not met or a field has no condition. `fields`: expanded values by lower-case name.
 */
export function checkFormPolicy(
  { expires, conditions, sizes }: FormPolicy,
  fields: ReadonlyMap<string, string>,
  bucket: string,
): SizeRange {
  if (expires <= Date.now()) throw unmet('Policy expired.')
  const given = new Map([...fields, ['bucket', bucket]])
  for (const condition of conditions)
    if (condition.field === null || !isMet(condition, given.get(condition.field) ?? '')) throw failed(condition.text)
  const named = new Set(conditions.map(({ field }) => field))
  const extra = [...given.keys()].find((name) => !named.has(name) && !isFree(name))
  if (extra !== undefined) throw unmet(`Extra input fields: ${extra}`)
  return {
    least: Math.max(0, ...sizes.map(({ least }) => least)),
    most: Math.min(Number.MAX_SAFE_INTEGER, ...sizes.map(({ most }) => most)),
  }
}
