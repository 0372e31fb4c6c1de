import {
  MachineFault,
  type MachineDisk,
  type MachineEvent,
  type MachineNic,
  type Machines,
  type MachineSpec,
  type MachineState,
} from '../hypervisor'
import { consoleTextOf, usageOf } from './figures'
import type { Delays, FaultName, Faults } from './options'
import type { Remembered, StateLog } from './state-log'

interface Given {
  log: StateLog
  delays: Delays
  faults: Faults
}

export interface SimulatedMachines {
  machines: Machines
  onEvent(listener: (event: MachineEvent) => void): () => void
  /** Whether a running machine has this disk and its guest agent answers. */
  canFreeze(path: string): boolean
  /** Makes the machine's process die (`crashed`) or its guest power itself off (`off`). */
  happen(id: string, state: 'crashed' | 'off', reason: string | null): void
  close(): void
}

const NO_CONSOLE = 'This virtual machine is simulated: it has no screen and no terminal'
const ownEndAfterMs = 2000
const slowStartMs = 30_000

export function openMachines({ log, delays, faults }: Given): SimulatedMachines {
  // Specs of running machines. They are not kept across restarts, because only metrics are derived from them.
  const specs = new Map<string, MachineSpec>()
  const listeners = new Set<(event: MachineEvent) => void>()
  const timers = new Map<string, Set<NodeJS.Timeout>>()

  const nameOf = (id: string) => specs.get(id)?.name ?? log.all.get(id)?.name ?? ''
  const meets = (id: string, fault: FaultName) => faults.machines.has(fault) || nameOf(id).includes(fault)
  const stateOf = (id: string): MachineState => log.all.get(id)?.state ?? 'off'
  const isUp = (id: string) => ['running', 'paused'].includes(stateOf(id))
  const mustBeUp = (id: string) => {
    if (!isUp(id)) throw new MachineFault('not_running', 'The virtual machine is not running')
  }

  const forgetTimers = (id: string) => {
    timers.get(id)?.forEach(clearTimeout)
    timers.delete(id)
  }
  const later = (id: string, milliseconds: number, act: () => void) => {
    const timer = setTimeout(() => {
      timers.get(id)?.delete(timer)
      act()
    }, milliseconds).unref()
    timers.set(id, (timers.get(id) ?? new Set()).add(timer))
  }

  const become = (id: string, state: MachineState, reason: string | null = null, size: Partial<Remembered> = {}) => {
    const before = log.all.get(id)
    if ((before?.state ?? 'off') === state) return
    const starts = state === 'running' && before?.state !== 'paused'
    log.write([{ ...remembered(id), ...size, state, since: starts ? Date.now() : (before?.since ?? Date.now()) }])
    if (!isUp(id)) forgetTimers(id)
    for (const listener of [...listeners]) listener({ id, state, reason })
  }
  const remembered = (id: string): Remembered => {
    const spec = specs.get(id)
    const before = log.all.get(id)
    return {
      ...before,
      id,
      state: before?.state ?? 'off',
      name: spec?.name ?? before?.name ?? id,
      vcpus: before?.vcpus ?? spec?.vcpus ?? 1,
      ramMiB: before?.ramMiB ?? spec?.ramMiB ?? 512,
      since: before?.since ?? Date.now(),
    }
  }

  const rewire = async (id: string, change: (spec: MachineSpec) => MachineSpec) => {
    mustBeUp(id)
    await pause(delays.quick)
    const spec = specs.get(id)
    if (spec) specs.set(id, change(spec))
  }
  const letGo = async (id: string, timeoutMs: number) => {
    mustBeUp(id)
    // a paused guest does not respond
    if (!meets(id, 'fault-busy') && stateOf(id) === 'running') return
    await pause(Math.min(timeoutMs, delays.quick * 10))
    throw new MachineFault('guest_busy', 'The guest did not release the device')
  }

  const machines: Machines = {
    async start(spec) {
      if (isUp(spec.id)) return
      // a restored machine has the size that it had when it was saved
      const size = stateOf(spec.id) === 'saved' ? {} : startSize(spec)
      specs.set(spec.id, spec)
      await pause(meets(spec.id, 'fault-slow') ? slowStartMs : delays.start)
      if (meets(spec.id, 'fault-start'))
        throw new MachineFault('failed', 'The virtual machine did not start: a fault was requested')
      if (meets(spec.id, 'fault-disk')) throw new MachineFault('disk_full', 'The disk storage is full')
      become(spec.id, 'running', null, size)
      if (meets(spec.id, 'fault-crash')) {
        later(spec.id, ownEndAfterMs, () => become(spec.id, 'crashed', 'killed by signal 9'))
      }
      if (meets(spec.id, 'fault-poweroff')) later(spec.id, ownEndAfterMs, () => become(spec.id, 'off'))
    },
    state: async (id) => stateOf(id),
    known: async () => [...log.all.values()].map(({ id, state }) => ({ id, state })),
    async pressPower(id) {
      mustBeUp(id)
      if (meets(id, 'fault-acpi') || stateOf(id) === 'paused') return
      later(id, delays.shutdown, () => become(id, 'off'))
    },
    async cut(id) {
      if (stateOf(id) !== 'off') become(id, 'off')
    },
    async reset(id) {
      mustBeUp(id)
      await pause(delays.quick)
    },
    async pause(id) {
      mustBeUp(id)
      await pause(delays.quick)
      become(id, 'paused')
    },
    async unpause(id) {
      mustBeUp(id)
      await pause(delays.quick)
      become(id, 'running')
    },
    async suspend(id) {
      if (stateOf(id) === 'saved') return
      mustBeUp(id)
      await pause(delays.suspend)
      if (meets(id, 'fault-suspend'))
        throw new MachineFault('disk_full', 'There is not enough space for the memory of the virtual machine')
      become(id, 'saved')
    },
    attachDisk: (id, disk: MachineDisk) =>
      rewire(id, (spec) => ({ ...spec, disks: [...spec.disks.filter((one) => one.id !== disk.id), disk] })),
    async detachDisk(id, diskId, timeoutMs = 30_000) {
      await letGo(id, timeoutMs)
      await rewire(id, (spec) => ({ ...spec, disks: spec.disks.filter((one) => one.id !== diskId) }))
    },
    async growDisk(id) {
      mustBeUp(id)
      if (faults.diskFull) throw new MachineFault('disk_full', 'The disk storage is full')
      await pause(delays.quick)
    },
    async grow(id, { vcpus, ramMiB }) {
      mustBeUp(id)
      await pause(delays.quick)
      const before = remembered(id)
      const { room } = before
      if (!room || vcpus > room.vcpus || ramMiB > room.ramMiB) {
        throw new MachineFault(
          'failed',
          'The virtual machine has no headroom for this size. Restart it with the new size',
        )
      }
      const isRefused = meets(id, 'fault-grow')
      const size = {
        vcpus: isRefused ? before.vcpus : Math.max(before.vcpus, vcpus),
        ramMiB: Math.max(before.ramMiB, ramMiB),
      }
      const guest = before.guest ?? before
      log.write([
        { ...before, ...size, guest: meets(id, 'fault-deaf') ? { vcpus: guest.vcpus, ramMiB: guest.ramMiB } : size },
      ])
      if (isRefused) throw new MachineFault('failed', 'No processor could be added: a fault was requested')
    },
    async size(id) {
      if (!isUp(id)) return null
      const { vcpus, ramMiB, guest = { vcpus, ramMiB } } = remembered(id)
      return { vcpus, ramMiB, guest }
    },
    attachNic: (id, nic: MachineNic) =>
      rewire(id, (spec) => ({ ...spec, nics: [...spec.nics.filter((one) => one.id !== nic.id), nic] })),
    async detachNic(id, nicId) {
      await letGo(id, 30_000)
      await rewire(id, (spec) => ({ ...spec, nics: spec.nics.filter((one) => one.id !== nicId) }))
    },
    async vncSocket(id) {
      mustBeUp(id)
      throw new MachineFault('no_console', NO_CONSOLE)
    },
    async serialPort(id) {
      mustBeUp(id)
      throw new MachineFault('no_console', NO_CONSOLE)
    },
    async consoleLog(id, tailBytes) {
      const machine = log.all.get(id)
      if (!machine || (machine.state === 'off' && !specs.has(id))) return Buffer.alloc(0)
      return Buffer.from(consoleTextOf(machine, specs.get(id) ?? null, Date.now())).subarray(-tailBytes)
    },
    guestAnswers: async (id) => stateOf(id) === 'running' && !meets(id, 'fault-agent'),
    heldCards: async () => new Map(),
    async usage(id) {
      const machine = log.all.get(id)
      return machine && isUp(id) ? usageOf(machine, specs.get(id) ?? null, Date.now()) : null
    },
    async forget(id) {
      forgetTimers(id)
      specs.delete(id)
      if (log.all.has(id)) log.write([{ id, state: 'gone' }])
    },
  }

  return {
    machines,
    onEvent(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    canFreeze: (path) =>
      [...specs.values()].some(
        ({ id, disks }) =>
          stateOf(id) === 'running' && !meets(id, 'fault-agent') && disks.some((disk) => disk.path === path),
      ),
    happen: (id, state, reason) => become(id, state, reason),
    close() {
      listeners.clear()
      for (const id of [...timers.keys()]) forgetTimers(id)
    },
  }
}

const startSize = ({ vcpus, ramMiB, room }: MachineSpec) => ({ vcpus, ramMiB, room, guest: { vcpus, ramMiB } })

const pause = (milliseconds: number) =>
  milliseconds > 0 ? new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref()) : Promise.resolve()
