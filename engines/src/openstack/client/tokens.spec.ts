import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Secret } from '../../ports/secret'
import { noLog } from '../testing/client-fixture'
import { createCache } from './cache'
import type { Token } from './token-shape'
import { accountTokens } from './tokens'

const minuteMs = 60_000
let issued = 0
/** Returns a token that is valid for one hour. */
const tokenOf = (): Token => ({
  id: new Secret(`token ${(issued += 1)}`),
  expiresAt: new Date(Date.now() + 60 * minuteMs),
  user: { id: 'u', name: 'u', domain: { id: 'd', name: 'd' } },
  project: null,
  domain: null,
  system: false,
  roles: [],
  federation: null,
  hasAccessRules: false,
  catalogue: [],
})
const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  issued = 0
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('service account tokens', () => {
  test('renews a one-hour token five minutes before it expires', async () => {
    const tokens = accountTokens(async () => tokenOf(), noLog)
    const first = await tokens.token()
    await passes(54 * minuteMs)
    expect(await tokens.token()).toBe(first)
    await passes(2 * minuteMs)
    expect(await tokens.token()).not.toBe(first)
    expect(issued).toBe(2)
  })

  test('uses the old token until it expires if renewal fails', async () => {
    let isDown = false
    const tokens = accountTokens(async () => {
      if (isDown) throw new Error('down')
      return tokenOf()
    }, noLog)
    const first = await tokens.token()
    isDown = true
    await passes(58 * minuteMs)
    expect(await tokens.token()).toBe(first)
    await passes(3 * minuteMs)
    await expect(tokens.token()).rejects.toThrow('down')
  })

  test('renews a rejected token once for concurrent callers', async () => {
    const tokens = accountTokens(async () => tokenOf(), noLog)
    const first = await tokens.token()
    const renewed = await Promise.all([tokens.renew(first), tokens.renew(first), tokens.token()])
    expect(await tokens.renew(first)).toBe(renewed[0])
    expect(issued).toBe(2)
  })

  test('starts another sign-in if the first one hangs', async () => {
    let turn = 0
    const tokens = accountTokens(
      () => ((turn += 1) === 1 ? new Promise<Token>(() => {}) : Promise.resolve(tokenOf())),
      noLog,
    )
    void tokens.token()
    await passes(1_000)
    let isThere = false
    const late = tokens.token().then(() => (isThere = true))
    await passes(1_000)
    expect(isThere).toBe(false)
    await passes(2_000)
    await tokens.token()
    expect(turn).toBe(2)
    void late
  })
})

describe('cache', () => {
  test('evicts the least recently used value', async () => {
    const kept = createCache<string>(2, () => Infinity)
    const made: string[] = []
    const get = (key: string) => kept.get(key, async () => `${made.push(key)}`)
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key)
    expect(made).toEqual(['a', 'b', 'c', 'b'])
  })

  test('expires values, shares concurrent calls and does not cache failures', async () => {
    let turn = 0
    const kept = createCache<number>(10, () => Date.now() + minuteMs)
    const get = () =>
      kept.get('key', async () => {
        if ((turn += 1) === 1) throw new Error('not yet')
        return turn
      })
    await expect(get()).rejects.toThrow('not yet')
    expect(await Promise.all([get(), get(), get()])).toEqual([2, 2, 2])
    await passes(minuteMs + 1)
    expect(await get()).toBe(3)
    kept.drop('key', 2)
    expect(await get()).toBe(3)
    kept.drop('key', 3)
    expect(await get()).toBe(4)
  })
})
