import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import type { Duplex } from 'node:stream'
import { randomUUID } from 'node:crypto'
import type { ReaderGuest } from '../file-reader'
import type { Disks, Hypervisor, MachineDisk, MachineEvent, MachineNic, MachineSpec } from '../hypervisor'
import { openImageWorker } from '../../image-files/image-worker'
import { diskCaptures } from './disks/capture'
import { openDisks } from './disks/disks'
import { diskSnapshots } from './disks/snapshots'
import { createBy } from './disks/image-tool'
import { openQemu } from './qemu'

/*
 * Real QEMU for specs: a data folder, the small guest from `tools/guest-image`, and helpers to communicate with it.
 */

/** Builds the guest image if necessary, which takes minutes on a slow network. */
export function guestImage(): string {
  const image = process.env['MAINSTAY_GUEST_IMAGE'] ?? resolve('.cache/guest/tiny.qcow2')
  execFileSync('tools/guest-image/build.sh', [image], { stdio: ['ignore', 'ignore', 'inherit'] })
  return image
}

/** Builds the guest that reads file systems if necessary. */
export function readerGuest(): ReaderGuest {
  const guest = { image: resolve('.cache/guest/file-reader'), script: resolve('tools/file-reader/build.sh') }
  execFileSync(guest.script, [guest.image], { stdio: ['ignore', 'ignore', 'inherit'] })
  return guest
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** A data folder whose path is too long for a socket. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), `mainstay-${'long-'.repeat(20)}`))
  return folder
}

/** Disks and images without a hypervisor. */
export function openTestDisks(folder: string): Disks {
  const worker = openImageWorker({ log: silent })
  const create = createBy('qemu-img')
  return openDisks({
    ...{ folder, worker, reserveBytes: 0 },
    create,
    liveCopy: async () => false,
    snapshots: diskSnapshots({ worker, holderOf: () => null }),
    capture: diskCaptures({ worker, create, holderOf: () => null, reserveBytes: 0 }),
  })
}

let probed: string | null = null

/** Opens QEMU. The accelerator is probed once per process; later folders reuse the result. */
export async function openTestQemu(folder: string): Promise<Hypervisor> {
  const found = join(folder, 'probe.json')
  if (probed !== null && !existsSync(found)) writeFileSync(found, probed, { mode: 0o600 })
  const hypervisor = await openQemu({ folder, log: silent })
  if ('missing' in hypervisor) throw new Error(hypervisor.advice)
  probed = readFileSync(found, 'utf8')
  return hypervisor
}

export async function open(folder: string) {
  const hypervisor = await openTestQemu(folder)
  const events: MachineEvent[] = []
  hypervisor.onEvent((event) => events.push(event))
  return { hypervisor, events }
}

/** Deletes all machines, closes the hypervisor and removes the folder. */
export async function cleanUp(hypervisor: Hypervisor, folder: string): Promise<void> {
  for (const { id } of await hypervisor.machines.known()) await hypervisor.machines.forget(id)
  await hypervisor.close()
  rmSync(folder, { recursive: true, force: true })
}

export const diskOf = (path: string, change: Partial<MachineDisk> = {}): MachineDisk => ({
  ...{ id: randomUUID(), path, format: 'qcow2', bus: 'virtio', cdrom: false, bootIndex: null },
  ...change,
})

export const nicOf = (change: Partial<MachineNic> = {}): MachineNic => ({
  ...{
    id: randomUUID(),
    mac: '52:54:00:12:34:56',
    address: '10.0.2.15',
    cidr: '10.0.2.0/24',
    hostname: 'web-1',
    connected: true,
  },
  ...change,
})

export const specOf = (disks: MachineDisk[], change: Partial<MachineSpec> = {}): MachineSpec => ({
  ...{
    id: randomUUID(),
    name: 'web-1',
    vcpus: 1,
    ramMiB: 96,
    room: null,
    firmware: 'bios',
    disks,
    nics: [],
    seed: null,
  },
  ...change,
})

/** A machine that boots the small guest from its own disk. */
export async function guestSpec(
  { disks }: Hypervisor,
  folder: string,
  change: Partial<MachineSpec> = {},
): Promise<MachineSpec> {
  const path = join(folder, `${randomUUID()}.qcow2`)
  await disks.createFrom(path, guestImage(), 0)
  const spec = specOf([diskOf(path, { bootIndex: 0 })], change)
  return change.disks ? { ...spec, disks: [diskOf(path, { bootIndex: 0 }), ...change.disks] } : spec
}

/** Polls `look` every 25 ms until it returns a value. Throws after `timeoutMs`. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found> | Found,
  timeoutMs = 110_000,
): Promise<NonNullable<Found>> {
  const end = Date.now() + timeoutMs
  for (;;) {
    const found = await look()
    if (found !== null && found !== undefined && found !== false) return found
    if (Date.now() > end) throw new Error(`timed out: ${what}`)
    await new Promise((again) => setTimeout(again, 25))
  }
}

export const consoleOf = async ({ machines }: Hypervisor, id: string) =>
  (await machines.consoleLog(id, 100_000)).toString('utf8')

/** Waits for a pattern in the console log. On a timeout, throws an error with the end of the log. */
export async function consoleSays(hypervisor: Hypervisor, id: string, pattern: RegExp, timeoutMs?: number) {
  let said = ''
  const look = async () => pattern.exec((said = await consoleOf(hypervisor, id)))
  return until(`console of ${id} to say ${pattern}`, look, timeoutMs).catch((error: Error) => {
    throw new Error(`${error.message}; it said: ${said.slice(-500)}`)
  })
}

const serialPorts = new Map<string, Duplex>()

async function serialPort({ machines }: Hypervisor, id: string): Promise<Duplex> {
  const known = serialPorts.get(id)
  if (known && !known.destroyed) return known
  const port = await machines.serialPort(id)
  // Output is read from the log; drain it here so that it does not accumulate.
  port.resume().on('error', () => port.destroy())
  serialPorts.set(id, port)
  return port
}

/** Types a line on the serial port of a machine. */
export async function type(hypervisor: Hypervisor, id: string, line: string): Promise<void> {
  const port = await serialPort(hypervisor, id)
  await new Promise<void>((done) => port.write(`${line}\n`, () => done()))
}

/** Time without a response after which a command is typed again. */
const ANSWER_MS = 20_000

/**
 * Runs a command in the guest and returns its output. If kernel messages interrupt the output or characters are lost,
 * the line is typed again, but the command runs only once.
 */
export async function ask(hypervisor: Hypervisor, id: string, command: string): Promise<string> {
  // Split in two, so that the echo of the line does not match.
  const mark = randomUUID().slice(0, 8)
  const answer = new RegExp(`<${mark}-([^]*?)-${mark}>`)
  const line = `[ "$M" = ${mark} ] || { A=$(${command}); M=${mark}; }; echo "<${mark}""-$A-${mark}"">"`
  for (let tries = 5; ; tries--) {
    // Ctrl+U clears the rest of a broken line
    await type(hypervisor, id, `\u0015${line}`)
    const found = await consoleSays(hypervisor, id, answer, ANSWER_MS).catch((error: unknown) => {
      if (tries === 0) throw error
    })
    if (found) return found[1]!.replaceAll('\r', '').trim()
  }
}

const timesReady = async (hypervisor: Hypervisor, id: string) =>
  (await consoleOf(hypervisor, id)).split('guest: ready').length

/** Waits until the guest accepts commands after `act` has made it boot. */
export async function booting(hypervisor: Hypervisor, id: string, act: () => Promise<void>): Promise<void> {
  const before = await timesReady(hypervisor, id)
  await act()
  await until('the guest to be ready', async () => (await timesReady(hypervisor, id)) > before)
}

export const eventOf = (events: MachineEvent[], id: string, state: MachineEvent['state'], timeoutMs?: number) =>
  until(
    `event ${state} of ${id}`,
    () => events.findLast((event) => event.id === id && event.state === state),
    timeoutMs,
  )

export const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => ({ code: 'none', message: '' }),
    (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
  )
