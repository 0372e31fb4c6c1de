import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { compilerTally, playwrightTally, skipsByReason, toolTally, vitestTally } from './reports.mjs'

const folder = mkdtempSync(path.join(tmpdir(), 'mainstay-reports-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = path.join(folder, 'report.json')
const written = (report: unknown) => {
  writeFileSync(file, typeof report === 'string' ? report : JSON.stringify(report))
  return file
}
const missing = path.join(folder, 'missing.json')

describe('Vitest report', () => {
  const good = { status: 'passed', assertionResults: [{ status: 'passed' }, { status: 'passed' }] }
  const tally = (testResults: unknown[], code: number) => vitestTally(written({ testResults }), code)

  test('counts passed, failed and skipped tests', () => {
    const mixed = {
      status: 'failed',
      assertionResults: [{ status: 'passed' }, { status: 'failed' }, { status: 'pending' }],
    }
    expect(tally([good], 0)).toMatchObject({ passed: 2, failed: 0 })
    expect(tally([good, mixed], 1)).toMatchObject({ passed: 3, failed: 1, note: '2 files, 1 skipped' })
  })

  test('names failed tests, with their errors', () => {
    const failed = {
      ...{ name: '/repo/a.spec.ts', status: 'failed' },
      assertionResults: [
        { status: 'passed', fullName: 'stays' },
        {
          status: 'failed',
          fullName: 'goes away',
          failureMessages: [
            '\u001B[31mError: it stayed\n  at wait (/repo/node_modules/x.js:1:2)\n  at /repo/a.spec.ts:3:9',
          ],
        },
      ],
    }
    const unloaded = { name: '/repo/b.spec.ts', status: 'failed', message: 'no such module', assertionResults: [] }
    expect(tally([good, failed, unloaded], 1).failures).toEqual([
      '/repo/b.spec.ts: no such module',
      '/repo/a.spec.ts > goes away: Error: it stayed (a.spec.ts:3)',
    ])
  })

  test('names errors outside tests, with the spec that was running', () => {
    const output = [
      '⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯',
      '',
      'Vitest caught 1 unhandled error during the test run.',
      '',
      '⎯⎯⎯⎯⎯ Uncaught Exception ⎯⎯⎯⎯⎯',
      '\u001B[31m\u001B[1mError\u001B[22m: boom',
      ' ❯ listOnTimeout node:internal/timers:581:17',
      ' ❯ node_modules/x/y.js:3:1',
      ' ❯ Timeout.late server/src/late.ts:2:42',
      '',
      'This error originated in "server/src/a.spec.ts" test file. It doesn\'t mean the error was thrown inside it.',
    ].join('\n')
    expect(vitestTally(written({ testResults: [good] }), 1, output)).toEqual({
      ...{ passed: 2, failed: 1, note: 'ended with code 1' },
      failures: ['server/src/a.spec.ts: Uncaught Exception: Error: boom (Timeout.late server/src/late.ts:2:42)'],
    })
  })

  test('counts a file that failed to load as failed', () => {
    const broken = { status: 'failed', assertionResults: [] }
    expect(tally([good, broken], 1)).toMatchObject({ passed: 2, failed: 1, note: '2 files, 1 not loaded' })
  })

  test('counts a failed hook after passed tests as a failure', () => {
    expect(tally([{ ...good, status: 'failed' }], 1)).toMatchObject({ passed: 2, failed: 1 })
  })

  test('counts a missing or truncated report, no tests, and an unexplained exit code as failures', () => {
    expect(vitestTally(missing, 0)).toMatchObject({ passed: 0, failed: 1 })
    expect(vitestTally(written('{"testResults": ['), 0)).toMatchObject({ passed: 0, failed: 1 })
    expect(tally([], 0)).toMatchObject({ passed: 0, failed: 1 })
    expect(tally([good], 1)).toMatchObject({ passed: 2, failed: 1 })
  })
})

test('does not count tests of a wider tier as skipped', () => {
  const wider = { status: 'skipped', tags: ['all'], meta: {} }
  const testResults = [{ status: 'passed', assertionResults: [{ status: 'passed', tags: [] }, wider] }]
  expect(vitestTally(written({ testResults }), 0)).toMatchObject({ passed: 1, failed: 0, note: '1 files' })
  expect([...skipsByReason(written({ testResults }))]).toEqual([])
})

test('counts skipped tests by reason, most frequent first', () => {
  const skipped = (skippedBecause?: string) => ({ status: 'skipped', meta: skippedBecause ? { skippedBecause } : {} })
  const testResults = [
    { assertionResults: [skipped('root: not run by root'), skipped('QEMU: apt-get install qemu-utils'), skipped()] },
    { assertionResults: [skipped('QEMU: apt-get install qemu-utils'), { status: 'passed', meta: {} }] },
  ]
  expect([...skipsByReason(written({ testResults }))]).toEqual([
    ['QEMU: apt-get install qemu-utils', 2],
    ['root: not run by root', 1],
    ['no reason given', 1],
  ])
  expect([...skipsByReason(missing)]).toEqual([])
})

describe('Playwright report', () => {
  const tally = (stats: object, errors: unknown[] = [], code = 0) =>
    playwrightTally(written({ stats, errors, suites: [{}] }), code)

  test('counts tests, with flaky ones as failed', () => {
    expect(tally({ expected: 5, unexpected: 0, flaky: 0, skipped: 0 })).toMatchObject({ passed: 5, failed: 0 })
    expect(tally({ expected: 5, unexpected: 1, flaky: 2, skipped: 1 }, [], 1)).toMatchObject({ passed: 5, failed: 3 })
  })

  test('names failed tests in nested suites, with their errors', () => {
    const outcome = (status: string, message: string) => ({ status, results: [{}, { error: { message } }] })
    const specs = [
      {
        file: 'a.e2e.ts',
        line: 7,
        title: 'opens',
        tests: [outcome('unexpected', 'Error: closed'), outcome('expected', 'no')],
      },
    ]
    const report = {
      ...{ stats: { expected: 1, unexpected: 1, flaky: 0, skipped: 0 }, errors: [{ message: 'no browser' }] },
      suites: [{ suites: [{ specs }] }],
    }
    expect(playwrightTally(written(report), 1).failures).toEqual(['no browser', 'a.e2e.ts:7 > opens: Error: closed'])
  })

  test('counts errors outside tests, no tests, and a missing report as failures', () => {
    expect(tally({ expected: 5, unexpected: 0, flaky: 0, skipped: 0 }, [{}], 1)).toMatchObject({ passed: 5, failed: 1 })
    expect(tally({ expected: 0, unexpected: 0, flaky: 0, skipped: 3 })).toMatchObject({ passed: 0, failed: 1 })
    expect(tally({ expected: 5, unexpected: 0, flaky: 0, skipped: 0 }, [], 1)).toMatchObject({ passed: 5, failed: 1 })
    expect(playwrightTally(missing, 0)).toMatchObject({ passed: 0, failed: 1 })
  })
})

describe('tool that checks files', () => {
  const onFiles = /on (\d+) files/

  test('fails if it checked no files, regardless of the exit code', () => {
    expect(toolTally('Finished on 0 files', 0, onFiles)).toMatchObject({ passed: 0, failed: 1 })
    expect(toolTally('all is well', 0, onFiles)).toMatchObject({ passed: 0, failed: 1 })
    expect(toolTally('Finished on 7 files', 0, onFiles)).toEqual({ passed: 1, failed: 0, note: '7 files' })
    expect(toolTally('Finished on 7 files', 1, onFiles)).toMatchObject({ passed: 0, failed: 1 })
  })

  test('counts only our own files in compiler output', () => {
    const output = '/repo/node_modules/a/a.d.ts\n/usr/lib/lib.d.ts\n'
    expect(compilerTally(output, 0, '/repo/')).toMatchObject({ failed: 1 })
    expect(compilerTally(`${output}/repo/server/src/main.ts\n`, 0, '/repo/')).toMatchObject({
      passed: 1,
      note: '1 files',
    })
  })
})
