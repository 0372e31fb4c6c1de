import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { MachineEvent, MachineSpec } from '../hypervisor'
import { noDelays } from '../testing/no-delays'
import { openSimulated, type SimulatedHypervisor } from './simulated'

let folder: string
let hypervisor: SimulatedHypervisor
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mainstay-simulated-'))
  hypervisor = openSimulated({ folder, delays: noDelays })
})
afterEach(async () => {
  await hypervisor.close()
  rmSync(folder, { recursive: true, force: true })
})

const spec = (id: string, name = id): MachineSpec => ({
  id,
  name,
  vcpus: 2,
  room: null,
  ramMiB: 512,
  firmware: 'bios',
  disks: [],
  nics: [],
  seed: null,
})

test.each(['vncSocket', 'serialPort'] as const)('a machine has no %s, whether running or not', async (console) => {
  const { machines } = hypervisor
  await expect(machines[console]('one')).rejects.toMatchObject({ code: 'not_running' })
  await machines.start(spec('one'))
  await expect(machines[console]('one')).rejects.toMatchObject({
    code: 'no_console',
    message: 'This virtual machine is simulated: it has no screen and no terminal',
  })
})

test('machines outlive their server, even if it was killed while writing', async () => {
  await hypervisor.machines.start(spec('runs'))
  await hypervisor.machines.start(spec('halts'))
  await hypervisor.machines.pause('halts')
  await hypervisor.machines.start(spec('gone'))
  await hypervisor.machines.forget('gone')
  await hypervisor.close()
  appendFileSync(join(folder, 'machines.jsonl'), '{"id":"runs","sta')
  hypervisor = openSimulated({ folder, delays: noDelays })
  expect(await hypervisor.machines.known()).toEqual([
    { id: 'runs', state: 'running' },
    { id: 'halts', state: 'paused' },
  ])
})

test('sends each change once, with the reason if it was unexpected', async () => {
  const said: MachineEvent[] = []
  hypervisor.onEvent((event) => said.push(event))
  await hypervisor.machines.start(spec('one'))
  await hypervisor.machines.start(spec('one'))
  await hypervisor.machines.pause('one')
  await hypervisor.machines.unpause('one')
  hypervisor.happen('one', 'crashed', 'killed by signal 9')
  expect(said.map(({ state, reason }) => [state, reason])).toEqual([
    ['running', null],
    ['paused', null],
    ['running', null],
    ['crashed', 'killed by signal 9'],
  ])
})

test('applies faults only to machines whose names contain them', async () => {
  await expect(hypervisor.machines.start(spec('a', 'fault-start-1'))).rejects.toMatchObject({ code: 'failed' })
  await expect(hypervisor.machines.start(spec('b', 'fault-disk-1'))).rejects.toMatchObject({ code: 'disk_full' })
  await hypervisor.machines.start(spec('c', 'fault-acpi-1'))
  await hypervisor.machines.pressPower('c')
  await hypervisor.machines.start(spec('d', 'obedient'))
  await hypervisor.machines.pressPower('d')
  await expect.poll(() => hypervisor.machines.state('d')).toBe('off')
  expect(await hypervisor.machines.state('c')).toBe('running')
})

test('handles 100 000 machines with little memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = process.memoryUsage().heapUsed
  hypervisor.simulate(
    Array.from({ length: 100_000 }, (_, at) => ({
      id: `m${at}`,
      name: `m${at}`,
      state: 'running',
      vcpus: 1,
      ramMiB: 512,
    })),
  )
  expect(await hypervisor.machines.known()).toHaveLength(100_000)
  expect(await hypervisor.machines.usage('m99999')).toMatchObject({ cpuSeconds: expect.any(Number) })
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(120 * 1024 * 1024)
})
