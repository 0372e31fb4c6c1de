import { expect, it } from 'vitest'
import type { Translate } from '../i18n/use-t'
import { problemOf, unreachable } from './problem'
import { problemText } from './problem-text'
import { retry, retryDelay } from './query-client'

const busy = (status: number, code: string, seconds: string | null) =>
  problemOf(status, { error: { message: 'Too many requests', err_code: code } }, (name) =>
    name === 'retry-after' ? seconds : null,
  )
const t = ((key: string, values: Record<string, number>) => `${key} ${values['seconds']}`) as Translate<'shell'>

it('retries reads when a busy server asks for a retry, and not before the requested delay', () => {
  for (const [problem, text] of [
    [busy(429, 'too_many_requests', '7'), 'problem.busy 7'],
    [busy(503, 'server_busy', '7'), 'problem.serverBusy 7'],
  ] as const) {
    expect([retry(0, problem), retry(3, problem), retry(4, problem)]).toEqual([true, true, false])
    expect(retryDelay(0, problem)).toBeGreaterThanOrEqual(7000)
    expect(retryDelay(0, problem)).toBeLessThan(8000)
    expect(problemText(problem, t)).toBe(text)
  }
  expect(retryDelay(0, busy(429, 'too_many_requests', '86400'))).toBeLessThan(31_000)
})

it('does not retry other errors, and retries network failures twice', () => {
  expect(retry(0, busy(429, 'too_many_attempts', '7'))).toBe(false)
  expect(retry(0, busy(503, 'engine_unavailable', null))).toBe(false)
  expect([retry(1, unreachable()), retry(2, unreachable())]).toEqual([true, false])
})
