import process from 'node:process'
import { expect, test } from 'vitest'
import type { Machine } from './machine'
import { usageOf } from './usage'

test('the resident memory of QEMU is not reported as the memory that the guest uses', async () => {
  const qmp = () => ({ execute: () => Promise.resolve([]) })
  const machine = { process: { pid: process.pid }, record: { spec: { disks: [] } }, qmp } as unknown as Machine
  expect(await usageOf(machine)).toEqual({ cpuSeconds: expect.any(Number), ramBytes: null, disks: [], nics: [] })
})
