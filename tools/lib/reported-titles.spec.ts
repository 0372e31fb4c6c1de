import { expect, test } from 'vitest'
import { titlesInReport } from './reported-titles.mjs'

test('reads passed and failed tests from a Vitest report, without skipped ones', () => {
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

test('reads passed and failed tests from a Playwright report, including nested suites', () => {
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

test('rejects other reports', () => {
  expect(() => titlesInReport('{}')).toThrow('not a Vitest or Playwright report')
})
