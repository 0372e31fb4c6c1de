import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../ports/records'
import type { Qmp } from '../qmp'
import { connectGuestAgent, GuestAgentError, type GuestAgent } from './client'

/** Name of the port's character device in QEMU. */
export const agentPort = 'agent'

/** What is needed of the machine whose guest agent this is. */
export interface GuestOf {
  readonly id: string
  /** Throws if the machine is not running. */
  qmp(): Pick<Qmp, 'execute'>
  socket(name: 'agent'): string
  /** Whether file systems of the guest may still be frozen. Outlives the server. */
  readonly mayBeFrozen: boolean
  noteFreeze(mayBeFrozen: boolean): void
}

/** Limits, in ms. */
export interface GuestTimes {
  /** Time in which a guest agent has to answer. */
  answer: number
  /** Maximum duration of a freeze. */
  freeze: number
  /** Time until a failed thaw is tried again. It doubles each time, up to `mostPause`. */
  pause: number
  mostPause: number
}
const defaultTimes: GuestTimes = { answer: 2_000, freeze: 10_000, pause: 1_000, mostPause: 60_000 }

/** The guest agent of a machine, if it has one. Only one conversation with it is possible at a time. */
export class Guest {
  readonly #machine: GuestOf
  readonly #log: Log
  readonly #times: GuestTimes
  readonly #left = new AbortController()
  #queue: Promise<unknown> = Promise.resolve()
  #isThawing = false

  constructor(machine: GuestOf, log: Log, times: GuestTimes = defaultTimes) {
    this.#machine = machine
    this.#log = log
    this.#times = times
  }

  /** Whether the guest agent answers. */
  answers(): Promise<boolean> {
    return this.#alone(async () => {
      const agent = await this.#connect()
      if (!agent) return false
      return agent
        .ping(this.#times.answer)
        .then(
          () => true,
          (error: unknown) => error instanceof GuestAgentError && error.code === 'refused',
        )
        .finally(() => agent.close())
    })
  }

  /**
   * Runs `work` while the file systems of the guest are frozen, or without a freeze if that is not possible. Returns whether
   * they were frozen all the time.
   */
  whileFrozen(work: () => Promise<void>): Promise<boolean> {
    return this.#alone(async () => {
      const agent = await this.#connect()
      if (!agent) {
        await work()
        return false
      }
      return this.#freezeFor(agent, work).finally(() => agent.close())
    })
  }

  /** Thaws what an interrupted capture has left frozen. Returns at once, and tries until the guest agent confirms it. */
  thawLeftover(): void {
    if (!this.#machine.mayBeFrozen || this.#isThawing) return
    this.#isThawing = true
    void this.#keepThawing()
      .catch((error: unknown) => this.#log.warn({ machine: this.#machine.id, error }, 'failed to thaw a guest'))
      .finally(() => (this.#isThawing = false))
  }

  /** Stops trying. */
  leave(): void {
    this.#left.abort()
  }

  async #freezeFor(agent: GuestAgent, work: () => Promise<void>): Promise<boolean> {
    const { answer, freeze } = this.#times
    const end = Date.now() + freeze
    const left = () => Math.max(1, end - Date.now())
    let thawing: Promise<void> | undefined
    const thaw = () => (thawing ??= this.#thawOrLater(agent))
    // before the command, so that a server that takes over thaws the guest
    this.#machine.noteFreeze(true)
    const timer = setTimeout(() => void thaw(), freeze)
    try {
      const count = await agent.freeze(left()).catch((error: unknown) => {
        this.#log.warn({ machine: this.#machine.id, error }, 'the guest agent could not freeze file systems')
        return 0
      })
      if (count === 0) await thaw()
      await work()
      if (thawing) return false
      // a guest may thaw its file systems on its own
      return await agent.isFrozen(Math.min(answer, left())).catch(() => false)
    } finally {
      clearTimeout(timer)
      await thaw()
    }
  }

  /** Thaws the guest. If that fails, returns too, and tries again in the background. */
  async #thawOrLater(agent: GuestAgent): Promise<void> {
    if (!(await this.#thaw(agent))) this.thawLeftover()
  }

  /** Returns whether the guest agent confirms that nothing is frozen. */
  async #thaw(agent: GuestAgent): Promise<boolean> {
    const { answer } = this.#times
    // an agent may refuse to thaw what is not frozen
    await agent.thaw(answer).catch(() => undefined)
    const isThawed = await agent.isFrozen(answer).then(
      (isFrozen) => !isFrozen,
      () => false,
    )
    if (isThawed) this.#machine.noteFreeze(false)
    return isThawed
  }

  async #keepThawing(): Promise<void> {
    const signal = this.#left.signal
    for (let wait = this.#times.pause; this.#machine.mayBeFrozen && !signal.aborted; wait *= 2) {
      const isThawed = await this.#alone(async () => {
        const agent = await this.#connect()
        return agent ? this.#thaw(agent).finally(() => agent.close()) : false
      })
      if (isThawed) return
      await pause(Math.min(wait, this.#times.mostPause), undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  /** Connects to the guest agent. Returns null if it does not answer, at once if the guest has none. */
  async #connect(): Promise<GuestAgent | null> {
    try {
      const qmp = this.#machine.qmp()
      const ports = await qmp.execute<{ label: string; 'frontend-open': boolean }[]>(
        'query-chardev',
        {},
        this.#times.answer,
      )
      const isOpen = ports.some((port) => port.label === agentPort && port['frontend-open'])
      return isOpen ? await connectGuestAgent(this.#machine.socket('agent'), this.#times.answer) : null
    } catch {
      return null
    }
  }

  #alone<Result>(talk: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(talk)
    this.#queue = result.catch(() => undefined)
    return result
  }
}
