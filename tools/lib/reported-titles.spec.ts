import { expect, test } from 'vitest'
import { titlesInReport } from './reported-titles.mjs'

test('a report of Vitest tells what passed and what failed, and nothing of what was left out', () => {
  const result = (status: string, title: string) => ({ status, title })
  const report = {
    testResults: [
      { assertionResults: [result('passed', 'a [RT-001]'), result('failed', 'b [RT-002]')] },
      { assertionResults: [result('skipped', 'c [RT-003]'), result('passed', 'd [RT-004]')] },
    ],
  }
  expect(titlesInReport(JSON.stringify(report))).toEqual({
    passed: ['a [RT-001]', 'd [RT-004]'],
    failed: ['b [RT-002]'],
  })
})

test('a report of Playwright does too, in blocks as at the top', () => {
  const spec = (title: string, ok: boolean, status: string) => ({ title, ok, tests: [{ status }] })
  const report = {
    suites: [
      {
        specs: [spec('a [RT-001]', true, 'expected'), spec('b [RT-002]', true, 'skipped')],
        suites: [{ specs: [spec('c [RT-003]', false, 'unexpected')] }],
      },
    ],
  }
  expect(titlesInReport(JSON.stringify(report))).toEqual({ passed: ['a [RT-001]'], failed: ['c [RT-003]'] })
})

test('anything else is refused', () => {
  expect(() => titlesInReport('{}')).toThrow('no report of Vitest or Playwright')
})
