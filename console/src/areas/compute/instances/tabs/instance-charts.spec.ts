import type { InstanceStat } from '@mainstay/contract/compute/instances'
import { expect, test } from 'vitest'
import { plainLog, tailOf } from './log-text'
import { ratesBetween, fromHistory } from './stat-rates'

const stat = (at: string, part: Partial<InstanceStat> = {}): InstanceStat => ({
  at,
  cpu_usage: 5,
  mem_usage: null,
  block_capacity: null,
  block_usage: null,
  disks: [],
  nics: [],
  ...part,
})
const disk = (read_bytes: number) => ({ id: 'd', read_bytes, write_bytes: 0, read_ops: 0, write_ops: 0 })

test('computes rates from the difference between counters over time, summed over all devices', () => {
  const before = stat('2026-01-01T00:00:00Z', { disks: [disk(100), disk(0)] })
  const now = stat('2026-01-01T00:00:02Z', { disks: [disk(300), disk(50)] })
  expect(ratesBetween(now, before)).toMatchObject({ cpu: 5, memory: null, read: 125, write: 0 })
})

test('reports no rate for the first reading or after a counter reset', () => {
  const now = stat('2026-01-01T00:00:02Z', { disks: [disk(10)] })
  expect(ratesBetween(now, undefined).read).toBeNull()
  expect(ratesBetween(now, stat('2026-01-01T00:00:00Z', { disks: [disk(500)] })).read).toBeNull()
})

test('converts the last hour from the metrics store to the format of live readings, with percentages and gaps', () => {
  const rows = [
    [0.5, null],
    [256, 512],
    [1, 2],
    [3, 4],
    [5, 6],
    [7, null],
  ]
  expect(fromHistory({ times: [60, 90], rows }, 1024)).toEqual([
    { at: 60_000, cpu: 50, memory: 25, read: 1, write: 3, received: 5, sent: 7 },
    { at: 90_000, cpu: null, memory: 50, read: 2, write: 4, received: 6, sent: null },
  ])
})

test('strips colours from a serial log, and keeps only the final text of an overwritten line', () => {
  expect(plainLog('\u001b[0;32mOK\u001b[0m started\r\n 10%\r100% done\n')).toBe('OK started\n100% done\n')
})

test('counts the lines that precede the last lines', () => {
  expect(tailOf('1\n2\n3\n', 2)).toEqual({ text: '2\n3', hidden: 1 })
  expect(tailOf('1\n', 2)).toEqual({ text: '1', hidden: 0 })
})
