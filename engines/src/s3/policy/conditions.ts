import { BlockList, isIP } from 'node:net'
import { httpTime, isoTime, isoTimeOrUtc } from '@mainstay/contract/core/times'
import { isLike } from '@mainstay/contract/object-storage/wildcards'

/* Operators of conditions: what a key's value has to be. */

/** What is known of a request, by keys of conditions as `contextKey` writes them. What is not known has no entry. */
export type Context = ReadonlyMap<string, readonly string[]>

type Test = (actual: string, wanted: string) => boolean

const numbers =
  (test: (one: number, other: number) => boolean): Test =>
  (actual, wanted) =>
    test(Number(actual), Number(wanted))
/** The last three are forms of policies from before; new times are ISO 8601 with their zone. */
const timeOf = (text: string): number =>
  /^\d+$/.test(text)
    ? Number(text) * 1000
    : ([isoTimeOrUtc(text), httpTime(text), Date.parse(`${text} UTC`), Date.parse(text)].find((it) => !Number.isNaN(it)) ??
      Number.NaN)
const times =
  (test: (one: number, other: number) => boolean): Test =>
  (actual, wanted) =>
    test(timeOf(actual), timeOf(wanted))
const not =
  (test: Test): Test =>
  (actual, wanted) =>
    !test(actual, wanted)
const same: Test = (actual, wanted) => actual === wanted
// lower-case letters may be up to three times as many: what is longer needs no copy to be compared
const sameLetters: Test = (actual, wanted) =>
  actual.length <= 3 * wanted.length && actual.toLowerCase() === wanted.toLowerCase()

/** Null where it is no address or range. */
function rangeOf(text: string): BlockList | null {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  const width = family === 6 ? 128 : 32
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
  if (family === 0 || more.length > 0 || length < 0 || length > width) return null
  const list = new BlockList()
  list.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4')
  return list
}
const inRange: Test = (actual, wanted) => {
  const plain = actual.replace(/^::ffff:(?=\d+\.)/, '')
  const family = isIP(plain)
  return family !== 0 && (rangeOf(wanted)?.check(plain, family === 6 ? 'ipv6' : 'ipv4') ?? false)
}

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text))
const isTime = (text: string) => !Number.isNaN(timeOf(text))
const isBool = (text: string) => /^(true|false)$/i.test(text)

interface Operator {
  test: Test
  /** It holds where the key is not known, and only where no wanted value is met. */
  isNegative?: true
  isValue?: (text: string) => boolean
  /** Its values are patterns, with `*` and `?`. */
  isPattern?: true
}

const negative = (test: Test): Operator => ({ test: not(test), isNegative: true })
const like: Operator = { test: isLike, isPattern: true }
const unlike: Operator = { ...negative(isLike), isPattern: true }

const operators: Readonly<Record<string, Operator>> = {
  StringEquals: { test: same },
  StringNotEquals: negative(same),
  StringEqualsIgnoreCase: { test: sameLetters },
  StringNotEqualsIgnoreCase: negative(sameLetters),
  StringLike: like,
  StringNotLike: unlike,
  ArnEquals: like,
  ArnLike: like,
  ArnNotEquals: unlike,
  ArnNotLike: unlike,
  NumericEquals: { test: numbers((a, b) => a === b), isValue: isNumber },
  NumericNotEquals: { ...negative(numbers((a, b) => a === b)), isValue: isNumber },
  NumericLessThan: { test: numbers((a, b) => a < b), isValue: isNumber },
  NumericLessThanEquals: { test: numbers((a, b) => a <= b), isValue: isNumber },
  NumericGreaterThan: { test: numbers((a, b) => a > b), isValue: isNumber },
  NumericGreaterThanEquals: { test: numbers((a, b) => a >= b), isValue: isNumber },
  DateEquals: { test: times((a, b) => a === b), isValue: isTime },
  DateNotEquals: { ...negative(times((a, b) => a === b)), isValue: isTime },
  DateLessThan: { test: times((a, b) => a < b), isValue: isTime },
  DateLessThanEquals: { test: times((a, b) => a <= b), isValue: isTime },
  DateGreaterThan: { test: times((a, b) => a > b), isValue: isTime },
  DateGreaterThanEquals: { test: times((a, b) => a >= b), isValue: isTime },
  Bool: { test: sameLetters, isValue: isBool },
  IpAddress: { test: inRange, isValue: (text) => rangeOf(text) !== null },
  NotIpAddress: { ...negative(inRange), isValue: (text) => rangeOf(text) !== null },
  Null: { test: same, isValue: isBool },
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
export function holds({ operator, key, values }: Condition, context: Context, effect: 'Allow' | 'Deny'): boolean {
  const { name, found, ifExists, quantifier } = readOperator(operator)!
  const actual = context.get(contextKey(key)) ?? []
  if (name === 'Null') return values.some((value) => (value.toLowerCase() === 'true') === (actual.length === 0))
  if (found.isPattern && actual.some((one) => one.length > MOST_MATCHED)) return effect === 'Deny'
  // of no value there is not any that differs
  if (actual.length === 0) return ifExists || (quantifier === null ? found.isNegative === true : quantifier === 'all')
  const meets = (one: string) =>
    found.isNegative
      ? values.every((wanted) => found.test(one, wanted))
      : values.some((wanted) => found.test(one, wanted))
  return quantifier === 'any' || (quantifier === null && !found.isNegative) ? actual.some(meets) : actual.every(meets)
}
