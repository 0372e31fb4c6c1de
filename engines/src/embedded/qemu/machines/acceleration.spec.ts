import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { MachineEvent, MachineSpec } from '../../hypervisor'
import type { Confinement } from '../confinement/confinement'
import { until } from '../testbed'
import { emulationProblem } from './acceleration'
import { openMachines, type OpenMachines } from './machines'

/*
 * A host on which KVM passes the probe but stops guests. The emulator is a script that speaks QMP and reports the same
 * as QEMU on such a host.
 */

/**
 * With KVM, the guest stops with an internal error: after a moment if `isSoon`, otherwise on SIGUSR1. SIGUSR2 stops it
 * as a disk error would.
 */
const emulator = (isSoon: boolean) => `#!${process.execPath}
const isKvm = process.argv.includes('kvm')
let status = 'prelaunch'
let client
const say = (line) => client.write(JSON.stringify(line) + '\\n')
const fail = () => { status = 'internal-error'; say({ event: 'STOP', data: {} }) }
process.on('SIGUSR1', fail)
process.on('SIGUSR2', () => { status = 'io-error'; say({ event: 'STOP', data: {} }) })
require('node:net').createServer((socket) => {
  client = socket
  socket.on('error', () => {})
  say({ QMP: {} })
  socket.on('data', (data) => {
    for (const text of String(data).split('\\n').filter(Boolean)) {
      const { execute, id } = JSON.parse(text)
      if (execute === 'cont') { status = 'running'; say({ event: 'RESUME', data: {} }) }
      say({ id, return: execute === 'query-status' ? { status, running: status === 'running' } : execute.startsWith('q') ? [] : {} })
      if (execute === 'quit') process.exit(0)
      if (execute === 'cont' && isKvm && ${isSoon}) setTimeout(fail, 20)
    }
  })
}).listen('sockets/qmp.sock')
`

const unconfined: Confinement = {
  capsule: null,
  switches: null,
  command: (program, args) => ({ file: program, args: [...args] }),
  own: async () => undefined,
  lend: async () => undefined,
  letThrough: async () => undefined,
  provide: async () => undefined,
}
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const spec: MachineSpec = {
  ...{ id: 'one', name: 'one', vcpus: 1, ramMiB: 32, room: null, firmware: 'bios' },
  ...{ disks: [], nics: [], seed: null },
}

let folder: string
let opened: OpenMachines
let events: MachineEvent[]

async function open() {
  events = []
  opened = await openMachines({
    ...{ folder: join(folder, 'machines'), shortFolder: join(folder, 'machines') },
    ...{ emulator: join(folder, 'emulator'), confinement: unconfined, log: silent },
    choice: { accelerator: 'kvm', machineType: 'pc', sandbox: false, hyperV: false, uefi: null },
  })
  opened.onEvent((event) => events.push(event))
}
const stopsGuests = (isSoon: boolean) => {
  writeFileSync(join(folder, 'emulator'), emulator(isSoon))
  chmodSync(join(folder, 'emulator'), 0o755)
}
/** PID and arguments of the machine's process; null if it is not running. */
async function processOf(id: string) {
  const { readFile } = await import('node:fs/promises')
  const pid = Number(await readFile(join(folder, 'machines', id, 'qemu.pid'), 'utf8').catch(() => '0'))
  const words = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')
  return words === '' ? null : { pid, words: words.split('\0') }
}
const accelerated = (id: string) => processOf(id).then((it) => it?.words.includes('kvm'))

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'acc-'))
  mkdirSync(join(folder, 'machines'))
  stopsGuests(true)
  await open()
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const { id } of await opened.machines.known()) await opened.machines.forget(id)
  opened.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('when hardware acceleration stops a guest', () => {
  test('restarts it with emulation if it has just started, and reports this to operators', async () => {
    await opened.machines.start(spec)
    await until('it to run by emulation', () => opened.emulated().length > 0)
    await until('it to run', async () => (await opened.machines.state('one')) === 'running')
    expect(await accelerated('one')).toBe(false)
    // listeners are notified of only one start
    expect(events).toEqual([{ id: 'one', state: 'running', reason: null }])
    expect(emulationProblem(opened.emulated())).toMatch(
      /^Hardware acceleration fails on this host, .*one\. .*stop and start them$/,
    )

    // after a stop and a start, acceleration is tried again, because the cause may have been fixed
    await opened.machines.cut('one')
    expect(opened.emulated()).toEqual([])
    expect(emulationProblem([])).toBeNull()
    stopsGuests(false)
    await opened.machines.start(spec)
    expect(await accelerated('one')).toBe(true)
    expect(opened.emulated()).toEqual([])
  })

  test('reports it as crashed with the reason if it has been running for a while', async () => {
    stopsGuests(false)
    await opened.machines.start(spec)
    const { pid } = (await processOf('one'))!
    const now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now + 61_000)
    process.kill(pid, 'SIGUSR1')
    await until('it to be gone', async () => (await opened.machines.state('one')) === 'crashed')
    await until('that to be told', () => events.length > 1)
    expect(events.at(-1)).toEqual({
      ...{ id: 'one', state: 'crashed' },
      reason: 'The hardware acceleration of this host stopped the virtual machine',
    })
    expect(await processOf('one')).toBeNull()
    expect(opened.emulated()).toEqual([])
  })

  test('reports it as crashed if this happened while no server was running', async () => {
    stopsGuests(false)
    await opened.machines.start(spec)
    const { pid } = (await processOf('one'))!
    opened.close()
    process.kill(pid, 'SIGUSR1')
    await open()
    await until('it to be gone', async () => (await opened.machines.state('one')) === 'crashed')
    expect(await processOf('one')).toBeNull()
  })

  test('distinguishes it from a guest that is paused for another reason', async () => {
    stopsGuests(false)
    await opened.machines.start(spec)
    const { pid } = (await processOf('one'))!
    process.kill(pid, 'SIGUSR2')
    await until('it to be paused', async () => (await opened.machines.state('one')) === 'paused')
    expect((await processOf('one'))?.pid).toBe(pid)
  })
})
