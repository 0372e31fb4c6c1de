import { isGoneWithin, kill, pause, type Exit, type ProcessId } from '../../../host/processes'
import { connectQmp, type Qmp, type QmpEvent } from '../qmp'

interface Given {
  process: ProcessId
  /** Null for a process that another server started. */
  exit: Promise<Exit> | null
  qmp: Qmp | null
  qmpSocket: string
  onEvent: (event: QmpEvent) => void
  /** Called when the control socket was lost and is back; events may have been missed. */
  onReturn: (qmp: Qmp) => Promise<void>
  /** Called once, when the process is gone. */
  onGone: (exit: Exit | null) => Promise<void>
}

const endWithinMs = 5_000

/** The life of one process and our conversation with it, over every loss of the control socket. */
export class Session {
  readonly process: ProcessId
  /** Resolves once the process is gone and `onGone` has seen to it, or once it was left. */
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

  /** Null while it does not answer. */
  get qmp(): Qmp | null {
    return this.#qmp
  }

  /** Tells the process to end, and kills it if it does not. */
  async end(): Promise<void> {
    // The answer may not come any more: closing is as good.
    await this.#qmp?.execute('quit', {}, endWithinMs).catch(() => undefined)
    if (!(await isGoneWithin(this.process, endWithinMs))) kill(this.process, 'SIGKILL')
    await this.over
  }

  /** Stops watching; the process goes on. */
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
      // It may be lost again at once; then the next round finds that.
      if (this.#qmp) await onReturn(this.#qmp).catch(() => undefined)
    }
    // Node hears of its own child's end a moment later than /proc shows it.
    await onGone(await Promise.race([exit ?? null, pause(500).then(() => null)]))
  }
}
