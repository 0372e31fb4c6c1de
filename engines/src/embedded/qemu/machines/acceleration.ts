import type { Log } from '../../../ports/records'
import type { Qmp } from '../qmp'
import type { MachineRecord } from './record'

/*
 * Hardware acceleration may pass the probe and still stop guests, mostly under nested virtualization. QEMU reports this
 * only in its status, and cannot resume such a guest.
 */

/**
 * A guest that is stopped within this time after its start loses nothing when it is restarted with emulation; in
 * milliseconds.
 */
const fromStartMs = 60_000

const whyGone = 'The hardware acceleration of this host stopped the virtual machine'

interface Accelerated {
  readonly id: string
  readonly record: Readonly<MachineRecord>
  qmp(): Qmp
  leaveAcceleration(isToRun: boolean, reason: string): Promise<void>
}

/** Handles KVM failures of one machine. */
export class Acceleration {
  readonly #machine: Accelerated
  readonly #log: Log
  /** A time as returned by `performance.now()`. */
  #hasJustBegunUntil = 0

  constructor(machine: Accelerated, log: Log) {
    this.#machine = machine
    this.#log = log
  }

  guestBegins(): void {
    this.#hasJustBegunUntil = performance.now() + fromStartMs
  }

  /** Handles QEMU's event that the guest has stopped. Calls `paused` if the guest can be resumed. */
  heardStop(paused: () => void): void {
    // call `paused` synchronously, because the next event may report that the guest runs again
    if (this.#machine.record.accelerator !== 'kvm') return paused()
    // QMP sends responses and events in order, so this is the status right after the stop
    const status = async () => this.#machine.qmp().execute<{ status: string; running: boolean }>('query-status')
    void status().then(
      (found) => {
        if (found.status === 'internal-error') return this.failed()
        if (!found.running) paused()
      },
      // assume that a guest which does not respond is paused
      () => paused(),
    )
  }

  /** Restarts the guest with emulation if it has just started. Otherwise it has crashed, and its memory is lost. */
  async failed(): Promise<void> {
    const { id } = this.#machine
    const hasJustBegun = performance.now() < this.#hasJustBegunUntil
    this.#log.error({ machine: id, hasJustBegun }, 'hardware acceleration failed and stopped a guest')
    await this.#machine.leaveAcceleration(hasJustBegun, whyGone).catch((error: unknown) => {
      this.#log.error({ machine: id, error }, 'failed to start a virtual machine with emulation')
    })
  }
}

/** Message for operators with the IDs of machines that fell back to emulation; null if there are none. */
export function emulationProblem(ids: readonly string[]): string | null {
  if (ids.length === 0) return null
  const shown = `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}`
  return (
    `Hardware acceleration fails on this host, so these virtual machines run with slow emulation: ${shown}. ` +
    'See the kernel log of this host. Once the cause is fixed, stop and start them'
  )
}
