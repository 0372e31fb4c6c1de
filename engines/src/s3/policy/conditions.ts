import { BlockList, isIP } from 'node:net'
import { httpTime, isoTime, isoTimeOrUtc } from '@mainstay/contract/core/times'
import { isLike } from '@mainstay/contract/object-storage/wildcards'

/* Condition operators in policies. */

/** A request's values by condition key, as normalised by `contextKey`. Unknown values have no entry. */
export type Context = ReadonlyMap<string, readonly string[]>

/** Parses a time. New policies must use ISO 8601 with a time zone; the other formats occur in existing policies. */
const timeOf = (text: string): number =>
  /^\d+$/.test(text)
    ? Number(text) * 1000
    : ([isoTimeOrUtc(text), httpTime(text), Date.parse(`${text} UTC`), Date.parse(text)].find(
        (it) => !Number.isNaN(it),
      ) ?? Number.NaN)

/**
 * Prepares the values of a condition once and returns a function that tests whether a request value matches one of
 * them.
 */
type Matcher = (wanted: readonly string[]) => (actual: string) => boolean

/** Compares values after parsing them with `read`. */
const compared =
  <Value>(read: (text: string) => Value, test: (actual: Value, wanted: Value) => boolean): Matcher =>
  (wanted) => {
    const values = wanted.map(read)
    return (text) => {
      const actual = read(text)
      return values.some((it) => test(actual, it))
    }
  }
const numbers = (test: (actual: number, wanted: number) => boolean) => compared(Number, test)
const times = (test: (actual: number, wanted: number) => boolean) => compared(timeOf, test)

const same: Matcher = (wanted) => {
  const values = new Set(wanted)
  return (actual) => values.has(actual)
}
const sameLetters: Matcher = (wanted) => {
  const values = new Set(wanted.map((it) => it.toLowerCase()))
  // lower-casing can triple the length of a wanted value; longer values cannot match, so they are not lower-cased
  const longest = 3 * Math.max(...wanted.map(({ length }) => length))
  return (actual) => actual.length <= longest && values.has(actual.toLowerCase())
}
const like: Matcher = (wanted) => (actual) => wanted.some((it) => isLike(actual, it))

interface Range {
  address: string
  length: number
  family: 'ipv4' | 'ipv6'
}
/** Parses an address or address range; null if it is neither. */
function rangeOf(text: string): Range | null {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  const width = family === 6 ? 128 : 32
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
  if (family === 0 || more.length > 0 || length < 0 || length > width) return null
  return { address, length, family: family === 6 ? 'ipv6' : 'ipv4' }
}
const inRange: Matcher = (wanted) => {
  const list = new BlockList()
  for (const range of wanted.map(rangeOf)) if (range) list.addSubnet(range.address, range.length, range.family)
  return (actual) => {
    const plain = actual.replace(/^::ffff:(?=\d+\.)/, '')
    const family = isIP(plain)
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
  }
}

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text))
const isTime = (text: string) => !Number.isNaN(timeOf(text))
const isBool = (text: string) => /^(true|false)$/i.test(text)
const isRange = (text: string) => rangeOf(text) !== null

interface Operator {
  meets: Matcher
  /** Set for negated operators: the condition holds if no value matches or if the key is missing. */
  isNegative?: true
  isValue?: (text: string) => boolean
  /** Set if the values are patterns with `*` and `?`. */
  isPattern?: true
}

const no = { isNegative: true } as const
const [ofNumbers, ofTimes, ofRanges, patterns] = [
  { isValue: isNumber },
  { isValue: isTime },
  { isValue: isRange },
  { isPattern: true },
] as const
const equal = (a: number, b: number) => a === b

const operators: Readonly<Record<string, Operator>> = {
  StringEquals: { meets: same },
  StringNotEquals: { meets: same, ...no },
  StringEqualsIgnoreCase: { meets: sameLetters },
  StringNotEqualsIgnoreCase: { meets: sameLetters, ...no },
  StringLike: { meets: like, ...patterns },
  StringNotLike: { meets: like, ...patterns, ...no },
  ArnEquals: { meets: like, ...patterns },
  ArnLike: { meets: like, ...patterns },
  ArnNotEquals: { meets: like, ...patterns, ...no },
  ArnNotLike: { meets: like, ...patterns, ...no },
  NumericEquals: { meets: numbers(equal), ...ofNumbers },
  NumericNotEquals: { meets: numbers(equal), ...ofNumbers, ...no },
  NumericLessThan: { meets: numbers((a, b) => a < b), ...ofNumbers },
  NumericLessThanEquals: { meets: numbers((a, b) => a <= b), ...ofNumbers },
  NumericGreaterThan: { meets: numbers((a, b) => a > b), ...ofNumbers },
  NumericGreaterThanEquals: { meets: numbers((a, b) => a >= b), ...ofNumbers },
  DateEquals: { meets: times(equal), ...ofTimes },
  DateNotEquals: { meets: times(equal), ...ofTimes, ...no },
  DateLessThan: { meets: times((a, b) => a < b), ...ofTimes },
  DateLessThanEquals: { meets: times((a, b) => a <= b), ...ofTimes },
  DateGreaterThan: { meets: times((a, b) => a > b), ...ofTimes },
  DateGreaterThanEquals: { meets: times((a, b) => a >= b), ...ofTimes },
  Bool: { meets: sameLetters, isValue: isBool },
  IpAddress: { meets: inRange, ...ofRanges },
  NotIpAddress: { meets: inRange, ...ofRanges, ...no },
  Null: { meets: same, isValue: isBool },
}

/** Headers that are available as condition keys with the prefix `s3:`. */
export const conditionHeaders = [
  ...['x-amz-acl', 'x-amz-copy-source', 'x-amz-metadata-directive', 'x-amz-storage-class'],
  ...['x-amz-grant-read', 'x-amz-grant-write', 'x-amz-grant-read-acp', 'x-amz-grant-write-acp'],
  ...['x-amz-grant-full-control', 'x-amz-server-side-encryption', 'x-amz-server-side-encryption-aws-kms-key-id'],
  'x-amz-server-side-encryption-customer-algorithm',
]

/** Supported condition keys in lower case. */
const conditionKeys = new Set([
  ...['aws:sourceip', 'aws:securetransport', 'aws:referer', 'aws:useragent', 'aws:currenttime', 'aws:epochtime'],
  ...['aws:principalarn', 'aws:userid', 'aws:username'],
  ...['s3:prefix', 's3:delimiter', 's3:max-keys', 's3:versionid', 's3:requestobjecttagkeys'],
  ...conditionHeaders.map((name) => `s3:${name}`),
])
/** Condition keys for tags on the existing object or in the request. */
const tagKey = /^s3:(existing|request)objecttag\/.+$/
/** Normalises a condition key to lower case, except for tag names, which are case-sensitive. */
export function contextKey(key: string): string {
  const lower = key.toLowerCase()
  return tagKey.test(lower) ? lower.slice(0, lower.indexOf('/')) + key.slice(key.indexOf('/')) : lower
}
const isConditionKey = (key: string) => conditionKeys.has(key) || tagKey.test(key)

export interface Condition {
  operator: string
  key: string
  values: readonly string[]
}

interface ReadOperator {
  name: string
  found: Operator
  ifExists: boolean
  quantifier: 'all' | 'any' | null
}
function readOperator(text: string): ReadOperator | null {
  const [, quantifier, name = '', ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(text) ?? []
  const found = Object.hasOwn(operators, name) ? operators[name]! : null
  if (!found || (name === 'Null' && ifExists)) return null
  return {
    name,
    found,
    ifExists: ifExists !== undefined,
    quantifier: quantifier ? (quantifier === 'ForAllValues' ? 'all' : 'any') : null,
  }
}

/** Returns the error message for an invalid condition, or null if it is valid. */
export function conditionFault({ operator, key, values }: Condition): string | null {
  const read = readOperator(operator)
  if (!read) return `The operator ${operator} does not exist`
  if (!isConditionKey(key.toLowerCase())) return `The condition key ${key} does not exist`
  const { isValue } = read.found
  const wrong = isValue ? values.find((value) => !isValue(value)) : undefined
  return wrong === undefined ? null : `${wrong} is not a valid value for ${operator}`
}

/** Returns the time values of a condition that lack a time zone. */
export const zonelessTimes = ({ operator, values }: Condition): readonly string[] =>
  readOperator(operator)?.name.startsWith('Date')
    ? values.filter((it) => !/^\d+$/.test(it) && Number.isNaN(isoTime(it)))
    : []

/** Returns the values of a condition if its operator treats them as patterns. */
export const patternsOf = ({ operator, values }: Condition): readonly string[] =>
  readOperator(operator)?.found.isPattern ? values : []

/** Longest request value that is compared with patterns, in characters. Object keys have at most 1024 bytes. */
const MOST_MATCHED = 2048

/**
 * Whether a valid condition holds. `effect`: the effect of its statement. A value of more than 2048 characters is not
 * compared with patterns. Instead, the condition holds for Deny and fails for Allow, even if the operator is negated,
 * so that a long value can neither evade a Deny nor match an Allow.
 */
export function holds(condition: Condition, context: Context, effect: 'Allow' | 'Deny'): boolean {
  const { operator, key, values } = condition
  const { name, found, ifExists, quantifier } = readOperator(operator)!
  const actual = context.get(contextKey(key)) ?? []
  if (name === 'Null') return values.some((value) => (value.toLowerCase() === 'true') === (actual.length === 0))
  if (found.isPattern && actual.some((one) => one.length > MOST_MATCHED)) return effect === 'Deny'
  // with ForAnyValue, a missing value does not satisfy any operator, not even a negated one
  if (actual.length === 0) return ifExists || (quantifier === null ? found.isNegative === true : quantifier === 'all')
  const meetsOne = matcherOf(condition, found)
  const meets = (one: string) => meetsOne(one) !== (found.isNegative === true)
  return quantifier === 'any' || (quantifier === null && !found.isNegative) ? actual.some(meets) : actual.every(meets)
}

const matchers = new WeakMap<Condition, (actual: string) => boolean>()
/** Caches matchers: a condition may be evaluated for a thousand keys and may contain up to 20 KiB of values. */
function matcherOf(condition: Condition, { meets }: Operator): (actual: string) => boolean {
  const known = matchers.get(condition)
  if (known) return known
  const made = meets(condition.values)
  matchers.set(condition, made)
  return made
}
