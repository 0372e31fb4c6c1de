import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { conformanceCounts, conformanceTable } from './conformance-table.mjs'

const report = (...tests: [string[], string][]) => ({
  testResults: [{ assertionResults: tests.map(([ancestorTitles, status]) => ({ ancestorTitles, status })) }],
})

test('counts the tests in conformance suites by kind, and ignores other tests', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mainstay-counts-'))
  const file = path.join(folder, 'report.json')
  const suite = 'what every engine does with images'
  writeFileSync(
    file,
    JSON.stringify(
      report(
        [[suite], 'passed'],
        [['on real machines', suite], 'failed'],
        [[suite], 'skipped'],
        [['what every engine does with volumes'], 'passed'],
        [['something else'], 'passed'],
      ),
    ),
  )
  const counts = conformanceCounts(file)
  rmSync(folder, { recursive: true })
  expect([...counts]).toEqual([
    ['images', { passed: 1, ran: 2 }],
    ['volumes', { passed: 1, ran: 1 }],
  ])
  const table = conformanceTable([
    { engine: 'one', counts },
    { engine: 'other', counts: conformanceCounts(path.join(folder, 'no such report')) },
  ])
  expect(table.split('\n').map((line) => line.trim().split(/\s+/))).toEqual([
    ['one', 'other'],
    ['images', '1/2', '–'],
    ['volumes', '1/1', '–'],
  ])
})
