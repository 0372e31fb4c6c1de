import { isLike } from '@mainstay/contract/object-storage/wildcards'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { S3Error } from '../errors'
import { consult, readNewPolicy, readPolicy } from './policy'

/* Limits on the cost of evaluating a policy. */

const everyone = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::shop/*' }
const textOf = (change: object) => JSON.stringify({ Statement: [{ ...everyone, ...change }] })
const referer = (operator: string, ...values: string[]) => ({ Condition: { [operator]: { 'aws:Referer': values } } })
const said = (change: object, value: string) => {
  const question = { userId: null, action: 's3:GetObject', resource: 'shop/a' }
  const context = new Map([['aws:referer', [value]]])
  return consult(readPolicy(textOf(change), 'shop'), { ...question, context }).map(({ effect }) => effect)
}
/**
 * Measures CPU time in milliseconds, so that other processes do not affect the result. The least of three, because the
 * process may collect garbage in between.
 */
const msOf = (work: () => void) =>
  Math.min(
    ...[1, 2, 3].map(() => {
      const began = process.cpuUsage()
      work()
      const { user, system } = process.cpuUsage(began)
      return (user + system) / 1000
    }),
  )

/** Reference implementation: tries every possible match, one character at a time. */
function matchesByTable(text: string, pattern: string): boolean {
  let reached = Array.from({ length: text.length + 1 }, (_, at) => at === 0)
  for (const sign of pattern) {
    const from = reached
    reached = from.map((_, at) =>
      sign === '*'
        ? from.slice(0, at + 1).includes(true)
        : at > 0 && from[at - 1]! && (sign === '?' || sign === text[at - 1]),
    )
  }
  return reached[text.length]!
}

it('matches patterns like the reference implementation', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 12 })
  const long = fc.tuple(part, fc.integer({ min: 12, max: 40 }), part).map(([a, n, b]) => `${a}*${'ab'.repeat(n)}?${b}`)
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 14 })
  const longText = fc.tuple(text, fc.integer({ min: 12, max: 40 }), text).map(([a, n, b]) => a + 'ab'.repeat(n) + b)
  const same = (one: string, pattern: string) => isLike(one, pattern) === matchesByTable(one, pattern)
  fc.assert(fc.property(text, part, same), { numRuns: 1000 })
  fc.assert(fc.property(longText, long, same), { numRuns: 100 })
  for (const length of [31, 32, 33, 64, 65]) {
    expect(isLike(`x${'a'.repeat(length)}x`, `*${'a'.repeat(length - 1)}?*`)).toBe(true)
    expect(isLike(`x${'a'.repeat(length)}x`, `*${'a'.repeat(length - 1)}b*`)).toBe(false)
  }
})

it.each([
  ['an asterisk before a long text', `*${'a'.repeat(15_000)}b`],
  ['a long text between asterisks', `*${'a'.repeat(7_000)}b${'a'.repeat(7_000)}*`],
  ['question marks', `*${'?a'.repeat(7_000)}b*`],
  ['many asterisks', `${'*a'.repeat(7_000)}*b`],
])('quickly matches a long text against an existing pattern with %s', (_, pattern) => {
  const text = 'a'.repeat(30_000)
  expect(msOf(() => expect(isLike(text, pattern)).toBe(false))).toBeLessThan(400)
  const value = 'a'.repeat(2048)
  expect(msOf(() => expect(said(referer('StringLike', pattern), value)).toEqual([]))).toBeLessThan(100)
})

it('quickly evaluates the largest permitted policy for a long key', () => {
  const Resource = Array.from({ length: 19 }, (_, at) => `arn:aws:s3:::shop/*${'a'.repeat(980)}b${at}*`)
  const policy = readNewPolicy(textOf({ Resource }), 'shop')
  const question = { userId: null, action: 's3:GetObject', resource: `shop/${'a'.repeat(1024)}`, context: new Map() }
  consult(policy, question)
  const ask = () => {
    for (let at = 0; at < 10; at++) expect(consult(policy, question)).toEqual([])
  }
  expect(msOf(ask)).toBeLessThan(400)
})

it.each([
  ['addresses', 'NotIpAddress', 'aws:SourceIp', (at: number) => `10.0.${at >> 8}.${at & 255}`, '192.0.2.1'],
  ['times', 'DateEquals', 'aws:CurrentTime', () => '2027-01-01', '2026-01-01T00:00:00.000Z'],
  ['strings', 'StringEqualsIgnoreCase', 'aws:UserAgent', (at: number) => `agent ${at}`, 'another agent'],
])('quickly evaluates a condition with the maximum number of %s for a thousand keys', (_, operator, key, of, value) => {
  const values = Array.from({ length: 1400 }, (_, at) => of(at))
  const policy = readNewPolicy(textOf({ Condition: { [operator]: { [key]: values } } }), 'shop')
  const question = { userId: null, action: 's3:GetObject', resource: 'shop/a' }
  const context = new Map([[key.toLowerCase(), [value]]])
  const ask = () => {
    for (let at = 0; at < 1000; at++)
      expect(consult(policy, { ...question, context })).toHaveLength(operator.includes('Not') ? 1 : 0)
  }
  expect(msOf(ask)).toBeLessThan(1000)
})

it.each([
  ['a resource that is too long', { Resource: `arn:aws:s3:::shop/${'a'.repeat(1025)}` }],
  ['too many asterisks in a resource', { Resource: `arn:aws:s3:::shop/${'a*'.repeat(11)}` }],
  ['too many asterisks in a bucket name', { Resource: `arn:aws:s3:::${'*'.repeat(11)}/a` }],
  ['too many asterisks in an action', { Action: `s3:${'*'.repeat(11)}` }],
  ['a value that is too long', referer('StringLike', 'a'.repeat(1025))],
  ['too many asterisks in a value', referer('ForAnyValue:StringNotLikeIfExists', 'a*'.repeat(11))],
])('rejects a new policy with %s, but accepts an existing one', (_, change) => {
  const fault = () => {
    try {
      readNewPolicy(textOf(change), 'shop')
    } catch (error) {
      return (error as S3Error).code
    }
    return null
  }
  expect(fault()).toBe('MalformedPolicy')
  expect(readPolicy(textOf(change), 'shop')).toHaveLength(1)
})

it('accepts patterns at the limit, and values of any length if they are not patterns', () => {
  const at = `${'a*'.repeat(10)}${'a'.repeat(1004)}`
  for (const change of [
    { Resource: `arn:aws:s3:::shop/${at}` },
    referer('StringLike', at),
    referer('StringEquals', 'a*'.repeat(1000)),
  ])
    expect(readNewPolicy(textOf(change), 'shop')).toHaveLength(1)
})

it('treats a value that is too long to compare as matching every Deny and no Allow', () => {
  const long = `https://shop.example/${'a'.repeat(2048)}`
  const deny = { Effect: 'Deny' }
  for (const [operator, pattern] of [
    ['StringLike', 'https://shop.example/*'],
    ['StringNotLike', 'https://shop.example/*'],
    ['StringLike', 'https://other.example/*'],
    ['ForAllValues:StringNotLike', 'https://other.example/*'],
    ['StringLikeIfExists', '*'],
  ] as const) {
    expect([operator, said({ ...deny, ...referer(operator, pattern) }, long)]).toEqual([operator, ['Deny']])
    expect([operator, said(referer(operator, pattern), long)]).toEqual([operator, []])
  }
  // values up to the limit are compared; if the operator does not use patterns, longer values are also compared
  expect(said(referer('StringLike', 'https://shop.example/*'), long.slice(0, 2048))).toEqual(['Allow'])
  expect(said({ ...deny, ...referer('StringEquals', 'x') }, long)).toEqual([])
  expect(said(referer('StringNotEqualsIgnoreCase', 'x'), long)).toEqual(['Allow'])
})
