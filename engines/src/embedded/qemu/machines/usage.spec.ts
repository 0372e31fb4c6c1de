import process from 'node:process'
import { expect, test } from 'vitest'
import type { Machine } from './machine'
import { usageOf } from './usage'

test('does not report QEMU’s resident memory as memory used by the guest', async () => {
  const qmp = () => ({ execute: () => Promise.resolve([]) })
  const machine = { process: { pid: process.pid }, record: { spec: { disks: [] } }, qmp } as unknown as Machine
  expect(await usageOf(machine)).toEqual({ cpuSeconds: expect.any(Number), ramBytes: null, disks: [], nics: [] })
})
