import { isGoneWithin, kill, pause, type Exit, type ProcessId } from '../../../host/processes'
import { connectQmp, type Qmp, type QmpEvent } from '../qmp'

interface Given {
  process: ProcessId
  /** Null if another server process started the machine's process. */
  exit: Promise<Exit> | null
  qmp: Qmp | null
  qmpSocket: string
  onEvent: (event: QmpEvent) => void
  /** Called after a lost control socket was reconnected; events may have been missed. */
  onReturn: (qmp: Qmp) => Promise<void>
  /** Called once the process is gone. */
  onGone: (exit: Exit | null) => Promise<void>
}

const endWithinMs = 5_000

/** Follows one process until it exits, and reconnects its control connection whenever it is lost. */
export class Session {
  readonly process: ProcessId
  /** Resolves once the process is gone and `onGone` has finished, or after `leave`. */
  readonly over: Promise<void>
  readonly #given: Given
  #qmp: Qmp | null
  #isLeft = false

  constructor(given: Given) {
    this.#given = given
    this.process = given.process
    this.#qmp = given.qmp
    this.over = this.#follow()
  }

  /** Null while the process does not respond. */
  get qmp(): Qmp | null {
    return this.#qmp
  }

  /** Asks the process to quit, and kills it if it does not. */
  async end(): Promise<void> {
    // QEMU may close the connection instead of responding.
    await this.#qmp?.execute('quit', {}, endWithinMs).catch(() => undefined)
    if (!(await isGoneWithin(this.process, endWithinMs))) kill(this.process, 'SIGKILL')
    await this.over
  }

  /** Stops monitoring; the process continues. */
  leave(): void {
    this.#isLeft = true
    this.#qmp?.close()
  }

  async #follow(): Promise<void> {
    const { process, exit, qmpSocket, onEvent, onReturn, onGone } = this.#given
    for (;;) {
      if (this.#qmp) {
        const forget = this.#qmp.onEvent(onEvent)
        await this.#qmp.closed
        forget()
        this.#qmp = null
      }
      if (this.#isLeft) return
      if (await isGoneWithin(process, 500)) break
      this.#qmp = await connectQmp(qmpSocket, 1_000).catch(() => null)
      // If the connection is lost again, the next iteration handles it.
      if (this.#qmp) await onReturn(this.#qmp).catch(() => undefined)
    }
    // Node reports the exit of a child process slightly later than /proc.
    await onGone(await Promise.race([exit ?? null, pause(500).then(() => null)]))
  }
}
