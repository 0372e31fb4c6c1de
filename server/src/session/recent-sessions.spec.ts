import { Problem } from '@mainstay/contract/core/problems'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRecentSessions } from './recent-sessions'
import { createRightsChanges } from './rights-changes'
import type { SignedIn } from './signed-in'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Fake sessions that accept any token except `unknown`. `looked` records the lookups. */
function setUp() {
  const looked: string[] = []
  const ended = new Set<(id: string) => void>()
  const rightsChanges = createRightsChanges()
  let before: () => void = () => undefined
  const recent = createRecentSessions({
    rightsChanges,
    onEnded: (listener) => (ended.add(listener), () => ended.delete(listener)),
    async resolve(token, requestId, { projectId, panel } = {}) {
      looked.push(`${token} ${projectId ?? '-'}${panel === 'admin' ? ' as operator' : ''}`)
      await Promise.resolve()
      before()
      if (token === 'unknown') throw new Problem('unauthorized', 'Sign in to continue')
      return { session_id: token, scope: { request_id: requestId } } as unknown as SignedIn
    },
  })
  return {
    looked,
    resolve: recent.resolve,
    end: () => ended.forEach((listener) => listener('any')),
    change: () => rightsChanges.tell('user:any'),
    /** Runs the work during the next lookup. */
    meanwhile: (work: () => void) => (before = work),
  }
}

test("looks up a session once per second and keeps each call's own request ID", async () => {
  const { resolve, looked } = setUp()
  const first = await resolve('a', 'request 1')
  const second = await resolve('a', 'request 2')
  expect([first.scope.request_id, second.scope.request_id]).toEqual(['request 1', 'request 2'])
  expect(looked).toEqual(['a -'])
  vi.advanceTimersByTime(1000)
  await resolve('a', 'request 3')
  expect(looked).toEqual(['a -', 'a -'])
})

test('looks up different tokens and projects separately', async () => {
  const { resolve, looked } = setUp()
  await resolve('a', 'request')
  await resolve('a', 'request', { projectId: 'p' })
  await resolve('b', 'request')
  expect(looked).toEqual(['a -', 'a p', 'b -'])
})

test('does not cache an invalid token', async () => {
  const { resolve, looked } = setUp()
  for (const id of ['request 1', 'request 2'])
    await expect(resolve('unknown', id)).rejects.toMatchObject({ code: 'unauthorized' })
  expect(looked).toHaveLength(2)
})

test('ended sessions and changed rights take effect on the next call', async () => {
  const { resolve, looked, end, change } = setUp()
  await resolve('a', 'request')
  end()
  await resolve('a', 'request')
  change()
  await resolve('a', 'request')
  expect(looked).toHaveLength(3)
})

test('does not cache a lookup if something changed while it was running', async () => {
  const { resolve, looked, meanwhile, change } = setUp()
  meanwhile(change)
  await resolve('a', 'request')
  meanwhile(() => undefined)
  await resolve('a', 'request')
  expect(looked).toHaveLength(2)
})

test("caches a token's rights separately for each panel", async () => {
  const { resolve, looked } = setUp()
  for (const panel of ['admin', 'self-service', 'admin', 'self-service'] as const)
    await resolve('a', 'request', { panel })
  expect(looked).toEqual(['a - as operator', 'a -'])
})
