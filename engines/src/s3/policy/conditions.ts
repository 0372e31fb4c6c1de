import { BlockList, isIP } from 'node:net'
import { httpTime, isoTime, isoTimeOrUtc } from '@mainstay/contract/core/times'
import { isLike } from '@mainstay/contract/object-storage/wildcards'

/* Operators of conditions: what a key's value has to be. */

/** What is known of a request, by keys of conditions as `contextKey` writes them. What is not known has no entry. */
export type Context = ReadonlyMap<string, readonly string[]>

/** The last three are forms of policies from before; new times are ISO 8601 with their zone. */
const timeOf = (text: string): number =>
  /^\d+$/.test(text)
    ? Number(text) * 1000
    : ([isoTimeOrUtc(text), httpTime(text), Date.parse(`${text} UTC`), Date.parse(text)].find(
        (it) => !Number.isNaN(it),
      ) ?? Number.NaN)

/** Whether a value of the request meets one of the values that a condition wants, which are read once. */
type Matcher = (wanted: readonly string[]) => (actual: string) => boolean

/** Compares what `read` makes of the values. */
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
  // lower-case letters may be up to three times as many: what is longer needs no copy to be compared
  const longest = 3 * Math.max(...wanted.map(({ length }) => length))
  return (actual) => actual.length <= longest && values.has(actual.toLowerCase())
}
const like: Matcher = (wanted) => (actual) => wanted.some((it) => isLike(actual, it))

interface Range {
  address: string
  length: number
  family: 'ipv4' | 'ipv6'
}
/** Null where it is no address or range. */
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
  /** It holds where the key is not known, and only where no wanted value is met. */
  isNegative?: true
  isValue?: (text: string) => boolean
  /** Its values are patterns, with `*` and `?`. */
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

/** Headers that policies may ask for, as `s3:` with their name. */
export const conditionHeaders = [
  ...['x-amz-acl', 'x-amz-copy-source', 'x-amz-metadata-directive', 'x-amz-storage-class'],
  ...['x-amz-grant-read', 'x-amz-grant-write', 'x-amz-grant-read-acp', 'x-amz-grant-write-acp'],
  ...['x-amz-grant-full-control', 'x-amz-server-side-encryption', 'x-amz-server-side-encryption-aws-kms-key-id'],
  'x-amz-server-side-encryption-customer-algorithm',
]

/** Keys of conditions that are known here, lower case. */
const conditionKeys = new Set([
  ...['aws:sourceip', 'aws:securetransport', 'aws:referer', 'aws:useragent', 'aws:currenttime', 'aws:epochtime'],
  ...['aws:principalarn', 'aws:userid', 'aws:username'],
  ...['s3:prefix', 's3:delimiter', 's3:max-keys', 's3:versionid', 's3:requestobjecttagkeys'],
  ...conditionHeaders.map((name) => `s3:${name}`),
])
/** Keys that name a tag: of the object that is there, or of the one that is written. */
const tagKey = /^s3:(existing|request)objecttag\/.+$/
/** A key of a condition as it is looked up: in lower case but for the name of a tag, of which one of another case is another tag. */
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

/** What of a condition cannot be, in words; null: nothing. */
export function conditionFault({ operator, key, values }: Condition): string | null {
  const read = readOperator(operator)
  if (!read) return `There is no operator ${operator}`
  if (!isConditionKey(key.toLowerCase())) return `There is no condition key ${key}`
  const { isValue } = read.found
  const wrong = isValue ? values.find((value) => !isValue(value)) : undefined
  return wrong === undefined ? null : `${wrong} is no value for ${operator}`
}

/** Values of a condition that are times and do not say in which zone. */
export const zonelessTimes = ({ operator, values }: Condition): readonly string[] =>
  readOperator(operator)?.name.startsWith('Date')
    ? values.filter((it) => !/^\d+$/.test(it) && Number.isNaN(isoTime(it)))
    : []

/** The values of a condition that are patterns. */
export const patternsOf = ({ operator, values }: Condition): readonly string[] =>
  readOperator(operator)?.found.isPattern ? values : []

/** Characters of a request's value that is compared with patterns. Keys of objects have 1024 bytes at most. */
const MOST_MATCHED = 2048

/**
 * Whether a condition that has no fault holds. `effect`: that of its statement. A value longer than 2048 characters is not compared
 * with patterns, and then a condition of a Deny holds and one of an Allow does not, whether the operator is negative or not: a long
 * value neither passes by a Deny nor is allowed.
 */
export function holds(condition: Condition, context: Context, effect: 'Allow' | 'Deny'): boolean {
  const { operator, key, values } = condition
  const { name, found, ifExists, quantifier } = readOperator(operator)!
  const actual = context.get(contextKey(key)) ?? []
  if (name === 'Null') return values.some((value) => (value.toLowerCase() === 'true') === (actual.length === 0))
  if (found.isPattern && actual.some((one) => one.length > MOST_MATCHED)) return effect === 'Deny'
  // of no value there is not any that differs
  if (actual.length === 0) return ifExists || (quantifier === null ? found.isNegative === true : quantifier === 'all')
  const meetsOne = matcherOf(condition, found)
  const meets = (one: string) => meetsOne(one) !== (found.isNegative === true)
  return quantifier === 'any' || (quantifier === null && !found.isNegative) ? actual.some(meets) : actual.every(meets)
}

const matchers = new WeakMap<Condition, (actual: string) => boolean>()
/** A condition is asked for each of a thousand keys, and its values are up to 20 KiB. */
function matcherOf(condition: Condition, { meets }: Operator): (actual: string) => boolean {
  const known = matchers.get(condition)
  if (known) return known
  const made = meets(condition.values)
  matchers.set(condition, made)
  return made
}
