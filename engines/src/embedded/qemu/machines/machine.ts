import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { MachineFault, type MachineSize, type MachineSpec, type MachineState } from '../../hypervisor'
import { fileNames } from '../devices/arguments'
import { presentGrowth } from '../devices/grow'
import type { Guest } from '../guest-agent/guest'
import { attachDisk, attachNic, deviceIsGone, presentDevices } from '../devices/hotplug'
import { Acceleration } from './acceleration'
import { guestOf } from './guest-of'
import { launch } from './launch'
import { abandonSave, forgetMemory, loadMemory, saveMemory } from './memory'
import type { Confinement } from '../confinement/confinement'
import { placed } from '../devices/places'
import { bootId, isAlive, kill, type Exit, type ProcessId } from '../../../host/processes'
import { connectQmp, type Qmp, type QmpEvent } from '../qmp'
import { asFault, diskTrouble, exitReason, memoryNotRestored, memoryOfOtherProcessor } from '../reasons'
import { lastWords } from '../../../host/reasons'
import { isUnconfined, restoredSpec, type MachineRecord } from './record'
import { nothingGrown } from '../devices/headroom'
import { Session } from './session'
import { Standing } from './standing'
import type { MachineContext } from './context'

/** One machine: record, process (if any) and state. Changes run one by one (`exclusively`), except for `cut`. */
export class Machine {
  readonly id: string
  readonly #at: MachineContext
  readonly #known: Standing
  readonly #acceleration: Acceleration
  readonly guest: Guest
  #session: Session | null = null
  #launching: ProcessId | null = null
  /** Why QEMU is about to pause the guest, if it has reported a reason. */
  #trouble: string | null = null
  #queue: Promise<unknown> = Promise.resolve()

  constructor(record: MachineRecord, surroundings: MachineContext) {
    this.id = record.spec.id
    this.#at = surroundings
    this.#known = new Standing(record, surroundings)
    this.#acceleration = new Acceleration(this, surroundings.log)
    this.guest = guestOf(this, this.#known, surroundings.log)
  }

  get state(): MachineState {
    return this.#known.state
  }

  get record(): Readonly<MachineRecord> {
    return this.#known.record
  }

  get process(): ProcessId | null {
    return this.#session?.process ?? null
  }

  /** The machine's control socket. Throws `not_running` if there is no process. */
  qmp(): Qmp {
    if (!this.#session) throw new MachineFault('not_running', 'The virtual machine is not running')
    if (!this.#session.qmp) throw new MachineFault('failed', 'The virtual machine does not respond')
    return this.#session.qmp
  }

  get folder(): string {
    return this.#at.folder
  }

  get confinement(): Confinement {
    return this.#at.confinement
  }

  path(name: keyof typeof fileNames): string {
    return `${this.#at.folder}/${fileNames[name]}`
  }

  socket(name: 'qmp' | 'vnc' | 'serial' | 'agent' | 'memorySocket'): string {
    // processes started by an earlier version keep their sockets next to other files
    const isOlder = isUnconfined(this.#known.record) && !existsSync(this.path('sockets'))
    return `${this.#at.shortFolder}/${isOlder ? basename(fileNames[name]) : fileNames[name]}`
  }

  /** Runs changes one by one. Errors are converted to faults. */
  exclusively<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(change).catch((error: unknown) => {
      throw asFault(error)
    })
    this.#queue = result.catch(() => undefined)
    return result
  }

  /** Records changed devices (disks and interfaces) for a restore and for the next server process. */
  rewire(spec: MachineSpec): void {
    this.#known.write({ spec, places: placed(spec, this.#known.record.places) })
  }

  /** Records added vCPUs and memory for a restore and for the next server process. */
  grew(grown: MachineSize): void {
    this.#known.write({ grown })
  }

  start(spec: MachineSpec): Promise<void> {
    return this.exclusively(async () => {
      if (this.#session) {
        await this.#resume()
      } else if (this.#known.hasMemory()) {
        await this.#restore(spec)
      } else {
        const { machineType, accelerator, hyperV } = this.#at.choice
        await this.#begin(spec, { machineType, accelerator, hyperV, acceleratorFailed: false })
      }
    })
  }

  /** Ends a process whose guest was stopped by KVM. With `isToRun`, starts the machine again with emulation. */
  leaveAcceleration(isToRun: boolean, reason: string): Promise<void> {
    return this.exclusively(() =>
      this.#known.quietly(async () => {
        if (!this.#session || this.#known.record.accelerator !== 'kvm') return
        await this.#session.end()
        const { spec, machineType } = this.#known.record
        if (isToRun) await this.#begin(spec, { machineType, accelerator: 'tcg', acceleratorFailed: true })
      }, reason),
    )
  }

  /** Ends the process, if there is one, and deletes saved memory. */
  async cut(): Promise<void> {
    // Do not wait for a turn, because the current change may be hanging.
    await this.#end()
    await this.exclusively(async () => {
      await this.#end()
      await rm(this.path('memory'), { force: true })
      this.#known.write({ ifGone: 'off', reason: null })
      this.#known.become('off', null)
    })
  }

  pause(): Promise<void> {
    return this.exclusively(async () => {
      await this.qmp().execute('stop')
      this.#known.become('paused', null)
    })
  }

  unpause(): Promise<void> {
    return this.exclusively(() => {
      this.qmp()
      return this.#resume()
    })
  }

  suspend(): Promise<void> {
    return this.exclusively(async () => {
      if (this.#known.state === 'saved') return
      const qmp = this.qmp()
      const from = this.#known.state === 'paused' ? 'paused' : 'running'
      this.#known.write({ suspendingFrom: from })
      try {
        await saveMemory(qmp, {
          listenOn: this.socket('memorySocket'),
          memory: this.path('memory'),
          own: (socket) => this.confinement.own(socket),
        })
      } catch (error) {
        await this.#undoSuspend(qmp, from).catch(() => undefined)
        throw error
      }
      await this.#end()
      this.#known.write({ suspendingFrom: null })
    })
  }

  /** Adopts the process started by a previous server process, if it is still running. */
  async adopt(orphan: ProcessId | null): Promise<void> {
    const process = this.#known.record.process ?? orphan
    if (!process || !isAlive(process)) {
      const restarted = process !== null && process.bootId !== bootId()
      if (this.#known.record.process && this.#known.state === 'crashed') {
        const reason = restarted ? 'The host was restarted' : await exitReason(null, this.path('errors'))
        this.#known.write({ reason })
        this.#at.log.warn({ machine: this.id, reason }, 'a virtual machine ended while no server was running')
      }
      return this.#known.write({ process: null, suspendingFrom: null })
    }
    this.#known.write({ process })
    this.#known.foundRunning()
    const qmp = await connectQmp(this.socket('qmp'), 5_000).catch(() => null)
    const session = this.#watch(process, null, qmp)
    // A process that does not respond must not prevent the adoption of others.
    const warn = (error: unknown) =>
      this.#at.log.warn({ machine: this.id, error }, 'an adopted virtual machine does not respond')
    if (qmp) await this.#catchUp(qmp).catch(warn)
    if (this.#known.record.ifGone === 'off') await session.over
    this.#at.log.info({ machine: this.id, pid: process.pid, state: this.#known.state }, 'adopted a virtual machine')
  }

  /** Stops monitoring; the process continues. */
  leave(): void {
    this.guest.leave()
    this.#session?.leave()
  }

  /** Starts the process and its guest with a fresh configuration. */
  async #begin(
    spec: MachineSpec,
    how: Pick<MachineRecord, 'machineType' | 'accelerator' | 'hyperV' | 'acceleratorFailed'>,
  ) {
    const wiring = { spec, places: placed(spec, {}), grown: nothingGrown, hasAgentPort: true, mayBeFrozen: false }
    await this.#launch({ ...this.#known.record, ...wiring, ...how }, false)
    this.#acceleration.guestBegins()
    await this.#resume()
  }

  async #resume(): Promise<void> {
    if (this.#known.state === 'running') return
    await this.qmp().execute('cont')
    this.#known.become('running', null)
  }

  async #restore(spec: MachineSpec): Promise<void> {
    const { accelerator } = this.#known.record
    // emulation is always available
    if (accelerator === 'kvm' && this.#at.choice.accelerator !== 'kvm') {
      throw memoryOfOtherProcessor()
    }
    const wired = restoredSpec(this.#known.record.spec, spec)
    await this.#launch({ ...this.#known.record, spec: wired }, true)
    try {
      await loadMemory(this.qmp())
      await forgetMemory(this.path('memory'))
    } catch (error) {
      await this.#end()
      const words = await lastWords(this.path('errors'))
      this.#at.log.error({ machine: this.id, words, error }, 'failed to restore saved memory')
      throw memoryNotRestored()
    }
    await this.#resume()
    this.guest.thawLeftover()
    // Attach devices that were added while the machine was suspended; devices that it already has are skipped.
    for (const disk of spec.disks) await attachDisk(this, disk)
    for (const nic of spec.nics) await attachNic(this, nic)
  }

  /** Starts the process without running the guest yet. */
  async #launch(record: MachineRecord, withMemory: boolean): Promise<void> {
    const { emulator, folder, confinement } = this.#at
    const { spec, places, machineType, accelerator, hyperV = false, grown = nothingGrown } = record
    const before = this.#known.record
    try {
      const { process, exit, qmp } = await launch({
        ...{ emulator, folder, confinement, spec, places, grown, hasAgentPort: record.hasAgentPort === true },
        choice: { ...this.#at.choice, machineType, accelerator, hyperV },
        qmpSocket: this.socket('qmp'),
        memory: withMemory ? this.path('memory') : null,
        onSpawn: (started, place) => {
          this.#launching = started
          this.#known.write({
            ...{ ...record, process: started, ...place },
            ...{ ifGone: 'crashed', reason: null, suspendingFrom: null },
          })
        },
      })
      this.#watch(process, exit, qmp)
    } catch (error) {
      this.#known.write({ ...before, process: null })
      this.#at.log.warn({ machine: this.id, error }, 'failed to start a virtual machine')
      throw error
    } finally {
      this.#launching = null
    }
    this.#known.state = 'paused'
  }

  #watch(process: ProcessId, exit: Promise<Exit> | null, qmp: Qmp | null): Session {
    const session = new Session({
      ...{ process, exit, qmp },
      qmpSocket: this.socket('qmp'),
      onEvent: (event) => this.#hear(event),
      onReturn: (back) => this.#catchUp(back),
      onGone: async (ended) => {
        const reason = this.#known.record.ifGone === 'crashed' ? await exitReason(ended, this.path('errors')) : null
        this.#session = null
        this.#known.write({ process: null, reason })
        this.#known.become(this.#known.withoutProcess(), reason)
      },
    })
    this.#session = session
    return session
  }

  #hear({ event, data }: QmpEvent): void {
    if (event === 'SHUTDOWN' && data['guest'] === true) {
      this.#at.log.info({ machine: this.id, reason: data['reason'] }, 'the guest shut down')
      void this.#end()
    }
    if (event === 'STOP' && this.#known.record.ifGone === 'crashed' && !this.#known.record.suspendingFrom)
      this.#acceleration.heardStop(() => this.#known.become('paused', this.#trouble))
    if (event === 'RESUME' && !this.#known.record.suspendingFrom) {
      this.#trouble = null
      this.#known.become('running', null)
    }
    if (event === 'DEVICE_DELETED' && typeof data['device'] === 'string') {
      // Usually, the pending detach handles this, but a guest may release a device long after the timeout.
      void deviceIsGone(this, data['device']).catch(() => undefined)
    }
    if (event === 'BLOCK_IO_ERROR' && data['action'] === 'stop') {
      this.#trouble = diskTrouble(data)
      this.#at.log.error(
        { machine: this.id, node: data['node-name'], reason: data['reason'] },
        'paused a virtual machine because of a disk error',
      )
    }
  }

  /** Ends the process, if there is one. Resolves once the state has been updated. */
  async #end(): Promise<void> {
    if (this.#launching) kill(this.#launching, 'SIGKILL')
    if (!this.#session) return
    this.#known.write({ ifGone: 'off' })
    await this.#session.end()
  }

  /** Updates the state, because events may have been missed. */
  async #catchUp(qmp: Qmp): Promise<void> {
    const { status } = await qmp.execute<{ status: string }>('query-status')
    const { suspendingFrom } = this.#known.record
    if (status === 'internal-error') return void this.#acceleration.failed()
    if (status === 'shutdown' || this.#known.hasMemory()) {
      // The guest has shut down, or a previous server process did not finish a suspend (or restore).
      this.#known.write({ suspendingFrom: null })
      void this.#end()
      return
    }
    if (suspendingFrom) await this.#undoSuspend(qmp, suspendingFrom)
    else if (status === 'prelaunch') await qmp.execute('cont')
    const present = await presentDevices(qmp, this.#known.record.spec)
    this.rewire({ ...this.#known.record.spec, ...present })
    this.grew(await presentGrowth(qmp))
    const { running } = await qmp.execute<{ running: boolean }>('query-status')
    this.#known.become(running ? 'running' : 'paused', null)
    this.guest.thawLeftover()
  }

  async #undoSuspend(qmp: Qmp, from: 'running' | 'paused'): Promise<void> {
    await abandonSave(qmp, this.path('memory'), from)
    this.#known.write({ suspendingFrom: null })
  }
}
