import { mkdirSync, readFileSync } from 'node:fs'
import { readdir, realpath, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MachineFault, type MachineEvent, type Machines, type MachineSpec } from '../../hypervisor'
import { fileNames, processorModel, type EmulatorChoice } from '../devices/arguments'
import type { Confinement } from '../confinement/confinement'
import { tailOf, trimLog } from './console-log'
import { grow, sizeOf } from '../devices/grow'
import { attachDisk, attachNic, detachDisk, detachNic, growDisk } from '../devices/hotplug'
import { checkedId } from '../devices/ids'
import { Machine } from './machine'
import { isGoneWithin, kill, processesBelow, processIn, wordsOf } from '../../../host/processes'
import { asFault } from '../reasons'
import { isUnconfined, readRecord, type MachineRecord } from './record'
import type { Log } from '../../../ports/records'
import { openSerialLines } from './serial-lines'
import { heldInterfacesOf } from './held-cards'
import { usageOf } from './usage'

export interface OpenMachines {
  machines: Machines
  onEvent(listener: (event: MachineEvent) => void): () => void
  /** The machine whose process has the disk open. */
  holderOf(path: string): { machine: Machine; diskId: string } | null
  isAnyRunning(): boolean
  /** IDs of machines that an earlier version started in the host's network. */
  unconfined(): string[]
  /** IDs of machines that were started while networking was unavailable and whose interfaces are not connected. */
  withoutNetworks(): string[]
  /** IDs of machines that run with emulation because hardware acceleration stopped their guests. */
  emulated(): string[]
  close(): void
}

interface Given {
  /** Parent folder of all machines; each has its own folder in it. */
  folder: string
  /** The same folder with a path short enough for sockets. */
  shortFolder: string
  emulator: string
  choice: EmulatorChoice
  confinement: Confinement
  log: Log
}

const guestMayTakeMs = 30_000
const trimEveryMs = 5_000

/** Opens all machines in a data folder, and adopts those that a previous server process left running. */
export async function openMachines({
  folder,
  shortFolder,
  emulator,
  choice,
  confinement,
  log,
}: Given): Promise<OpenMachines> {
  const all = new Map<string, Machine>()
  const serialLines = openSerialLines()
  const listeners = new Set<(event: MachineEvent) => void>()

  const say = (event: MachineEvent) => {
    for (const listener of [...listeners]) {
      try {
        listener(event)
      } catch (error) {
        log.error({ machine: event.id, error }, 'a listener for virtual machine events failed')
      }
    }
  }

  const remember = (record: MachineRecord) => {
    const { id } = record.spec
    const machine = new Machine(record, {
      ...{ emulator, choice, confinement, log, say },
      folder: join(folder, id),
      shortFolder: `${shortFolder}/${id}`,
    })
    all.set(id, machine)
    return machine
  }

  const one = (id: string) => {
    const machine = all.get(checkedId(id))
    if (!machine) throw new MachineFault('not_running', 'The virtual machine is not running')
    return machine
  }

  const oneOrNew = (spec: MachineSpec) => {
    const known = all.get(checkedId(spec.id))
    if (known) return known
    mkdirSync(join(folder, spec.id), { recursive: true, mode: 0o700 })
    return remember(blankRecord(spec, choice))
  }

  const home = await realpath(folder)
  const processes = await processesBelow(home)
  await Promise.all(
    (await readdir(folder)).map(async (id) => {
      const record = readRecord(join(folder, id))
      if (record?.spec.id === id) await remember(record).adopt(await orphanOf(join(folder, id)))
      if (record && isUnconfined(all.get(id)?.record ?? record)) {
        const what = 'a virtual machine of an earlier version can reach the addresses of this host; stop and start it'
        log.warn({ machine: id }, what)
      }
      if (!all.get(id)?.process) await endStrays(join(home, id), id, processes.get(join(home, id)) ?? [], log)
    }),
  )

  const trimming = setInterval(() => {
    for (const machine of all.values()) {
      if (!machine.process) continue
      void trimLog(machine.path('serialLog'), machine.path('olderSerialLog')).catch(() => undefined)
      void trimLog(machine.path('errors'), null).catch(() => undefined)
    }
  }, trimEveryMs).unref()

  const machines: Machines = {
    start: async (spec) => oneOrNew(spec).start(spec),
    state: async (id) => all.get(checkedId(id))?.state ?? 'off',
    known: async () => [...all.values()].map(({ id, state }) => ({ id, state })),
    pressPower: async (id) => void (await one(id).qmp().execute('system_powerdown').catch(fail)),
    cut: async (id) => all.get(checkedId(id))?.cut(),
    reset: async (id) => void (await one(id).qmp().execute('system_reset').catch(fail)),
    pause: async (id) => one(id).pause(),
    unpause: async (id) => one(id).unpause(),
    suspend: async (id) => one(id).suspend(),
    attachDisk: async (id, disk) => one(id).exclusively(() => attachDisk(one(id), disk)),
    detachDisk: async (id, diskId, timeoutMs = guestMayTakeMs) =>
      one(id).exclusively(() => detachDisk(one(id), diskId, timeoutMs)),
    growDisk: async (id, diskId, sizeBytes) => one(id).exclusively(() => growDisk(one(id), diskId, sizeBytes)),
    grow: async (id, size) =>
      one(id).exclusively(() => grow(one(id), size, processorModel(one(id).record.accelerator))),
    async size(id) {
      const machine = all.get(checkedId(id))
      return machine?.process ? sizeOf(machine).catch(fail) : null
    },
    attachNic: async (id, nic) => one(id).exclusively(() => attachNic(one(id), nic)),
    detachNic: async (id, nicId) => one(id).exclusively(() => detachNic(one(id), nicId, guestMayTakeMs)),
    async vncSocket(id) {
      one(id).qmp()
      return one(id).socket('vnc')
    },
    async serialPort(id) {
      one(id).qmp()
      return serialLines.join(one(id).socket('serial'))
    },
    guestAnswers: async (id) => (await all.get(checkedId(id))?.guest.answers()) ?? false,
    async consoleLog(id, tailBytes) {
      const machine = all.get(checkedId(id))
      return machine ? tailOf(machine.path('serialLog'), machine.path('olderSerialLog'), tailBytes) : Buffer.alloc(0)
    },
    usage: async (id) => {
      const machine = all.get(checkedId(id))
      return machine ? usageOf(machine) : null
    },
    async heldCards() {
      const found = await Promise.all([...all.values()].map(heldInterfacesOf))
      return new Map(found.flatMap((cards) => [...(cards ?? [])]))
    },
    async forget(id) {
      const machine = all.get(checkedId(id))
      await machine?.cut()
      for (const nic of machine?.record.spec.nics ?? []) if (nic.port) await confinement.switches?.unplug(nic.id)
      all.delete(id)
      await rm(join(folder, id), { recursive: true, force: true })
    },
  }

  const running = (is: (record: Readonly<MachineRecord>) => boolean) =>
    [...all.values()].filter(({ process, record }) => process !== null && is(record)).map(({ id }) => id)

  return {
    machines,
    onEvent(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    holderOf(path) {
      for (const machine of all.values()) {
        const disk = machine.process && machine.record.spec.disks.find((each) => resolve(each.path) === resolve(path))
        if (disk) return { machine, diskId: disk.id }
      }
      return null
    },
    isAnyRunning: () => running(() => true).length > 0,
    unconfined: () => running(isUnconfined),
    withoutNetworks: () => running(({ spec, onSwitches }) => spec.onSwitches === true && onSwitches === false),
    emulated: () => running(({ acceleratorFailed }) => acceleratorFailed === true),
    close() {
      clearInterval(trimming)
      serialLines.close()
      listeners.clear()
      for (const machine of all.values()) machine.leave()
    },
  }
}

const fail = (error: unknown) => {
  throw asFault(error)
}

const blankRecord = (spec: MachineSpec, choice: EmulatorChoice): MachineRecord => ({
  spec,
  places: {},
  machineType: choice.machineType,
  accelerator: choice.accelerator,
  hyperV: choice.hyperV,
  process: null,
  ifGone: 'off',
  reason: null,
  suspendingFrom: null,
})

const strayGoesWithinMs = 10_000

/**
 * Ends processes of a machine that were not recorded, because the server was killed while starting them. Their guests
 * never ran, and they would keep the machine's disks open forever. `pids`: processes with the machine's folder as
 * working directory.
 */
async function endStrays(folder: string, id: string, pids: readonly number[], log: Log): Promise<void> {
  for (const pid of pids) {
    const words = await wordsOf(pid)
    const stray = words.some((word) => word === `guest=${id}` || word.startsWith(`guest=${id},`))
      ? await processIn(folder, pid)
      : null
    if (!stray) continue
    kill(stray, 'SIGKILL')
    const isGone = await isGoneWithin(stray, strayGoesWithinMs)
    log.warn({ machine: id, pid, isGone }, 'ended a process left over from the start of a virtual machine')
  }
}

/** The process that a server started but could not record before it was killed. */
async function orphanOf(folder: string) {
  try {
    const pid = Number(readFileSync(join(folder, fileNames.pid), 'utf8'))
    return await processIn(await realpath(folder), pid)
  } catch {
    return null
  }
}
