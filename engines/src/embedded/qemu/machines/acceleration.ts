import type { Log } from '../../../ports/records'
import type { Qmp } from '../qmp'
import type { MachineRecord } from './record'

/*
 * Hardware acceleration may pass the probe and still stop the guests of machines, mostly where this host is a guest itself.
 * QEMU tells so by its status alone, and never lets such a guest go on.
 */

/** A guest that is stopped so soon after its start loses nothing when it is started again by emulation; milliseconds. */
const fromStartMs = 60_000

const whyGone = 'The hardware acceleration of this host stopped the virtual machine'

interface Accelerated {
  readonly id: string
  readonly record: Readonly<MachineRecord>
  qmp(): Qmp
  leaveAcceleration(isToRun: boolean, reason: string): Promise<void>
}

/** Sees to one machine that KVM may stop. */
export class Acceleration {
  readonly #machine: Accelerated
  readonly #log: Log
  /** By the clock of this process. */
  #hasJustBegunUntil = 0

  constructor(machine: Accelerated, log: Log) {
    this.#machine = machine
    this.#log = log
  }

  guestBegins(): void {
    this.#hasJustBegunUntil = performance.now() + fromStartMs
  }

  /** After the event that a guest has stopped: calls `paused` where it can go on. */
  heardStop(paused: () => void): void {
    // at once: the next event may be that it runs again
    if (this.#machine.record.accelerator !== 'kvm') return paused()
    // what is answered is true at its place among the events
    const status = async () => this.#machine.qmp().execute<{ status: string; running: boolean }>('query-status')
    void status().then(
      (found) => {
        if (found.status === 'internal-error') return this.failed()
        if (!found.running) paused()
      },
      // one that does not answer is paused, as far as one knows
      () => paused(),
    )
  }

  /** Starts a guest by emulation that was stopped when it had just begun. Any other is gone, with what was in its memory. */
  async failed(): Promise<void> {
    const { id } = this.#machine
    const hasJustBegun = performance.now() < this.#hasJustBegunUntil
    this.#log.error({ machine: id, hasJustBegun }, 'hardware acceleration stopped a guest')
    await this.#machine.leaveAcceleration(hasJustBegun, whyGone).catch((error: unknown) => {
      this.#log.error({ machine: id, error }, 'a machine could not be started by emulation')
    })
  }
}

/** For operators: which machines run by emulation after all, by their ids; null where none does. */
export function emulationProblem(ids: readonly string[]): string | null {
  if (ids.length === 0) return null
  const shown = `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}`
  return (
    `Hardware acceleration stops guests: these virtual machines run by emulation, which is slow: ${shown}. ` +
    'The log of this host’s kernel may tell why. Once it is mended, switch them off and on again'
  )
}
