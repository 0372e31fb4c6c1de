import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countedSoFar, countedWith } from './balancer-counts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mainstay-counts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const pool = (total: number, active = 0) => ({ web: { active, total, bytesIn: total, bytesOut: 2 * total, errors: 0 } })

test('counters continue after a process is killed', () => {
  expect(countedWith(folder, '10', pool(5, 2))).toEqual(pool(5, 2))
  expect(countedWith(folder, '10', pool(8, 1))).toEqual(pool(8, 1))
  // no process is running
  expect(countedSoFar(folder)).toEqual(pool(8))
  expect(countedWith(folder, '11', pool(1, 1))).toEqual(pool(9, 1))
  expect(countedWith(folder, '12', pool(0))).toEqual(pool(9))
  expect(countedWith(folder, '12', pool(4))).toEqual(pool(13))
})

test('ignores outdated counters, both of the current process and of earlier ones', () => {
  countedWith(folder, '10', pool(8))
  expect(countedWith(folder, '10', pool(5))).toEqual(pool(8))
  countedWith(folder, '11', pool(2))
  expect(countedWith(folder, '10', pool(9))).toEqual(pool(10))
  expect(countedWith(folder, '11', pool(3))).toEqual(pool(11))
})

test('drops removed pools when the next process starts, and counts from zero if the file cannot be read', () => {
  countedWith(folder, '10', { ...pool(20), old: pool(7).web })
  expect(countedWith(folder, '11', pool(1))).toEqual(pool(21))
  writeFileSync(join(folder, 'counted.json'), '{"process"')
  expect(countedWith(folder, '11', pool(1))).toEqual(pool(1))
})
