import { existsSync } from 'node:fs'
import type { MachineState } from '../../hypervisor'
import { fileNames } from '../devices/arguments'
import type { MachineContext } from './context'
import { writeRecord, type MachineRecord } from './record'

/**
 * The record of one machine, which is stored in its folder, and its state. Listeners are notified once per state
 * change.
 */
export class Standing {
  state: MachineState
  readonly #at: Pick<MachineContext, 'folder' | 'say'>
  readonly #id: string
  #record: MachineRecord
  /** The state that was last reported to listeners. */
  #said: MachineState
  #isQuiet = false

  constructor(record: MachineRecord, at: Pick<MachineContext, 'folder' | 'say'>) {
    this.#id = record.spec.id
    this.#record = record
    this.#at = at
    this.state = this.#said = this.withoutProcess()
  }

  get record(): Readonly<MachineRecord> {
    return this.#record
  }

  hasMemory(): boolean {
    return existsSync(`${this.#at.folder}/${fileNames.memory}`)
  }

  /** Saved memory is deleted before a restored guest runs, so an existing file is valid. */
  withoutProcess(): MachineState {
    return this.hasMemory() ? 'saved' : this.#record.ifGone
  }

  /** Sets the state of a machine whose process was started by a previous server process. */
  foundRunning(): void {
    this.state = this.#said = 'running'
  }

  write(change: Partial<MachineRecord>): void {
    this.#record = { ...this.#record, ...change }
    writeRecord(this.#at.folder, this.#record)
  }

  become(state: MachineState, reason: string | null): void {
    this.state = state
    if (this.#said === state || this.#isQuiet) return
    this.#said = state
    this.#at.say({ id: this.#id, state, reason })
  }

  /** Suppresses events during `work`, then reports the resulting state with the given reason. */
  async quietly(work: () => Promise<void>, reason: string): Promise<void> {
    this.#isQuiet = true
    try {
      await work()
    } finally {
      this.#isQuiet = false
      this.become(this.state, reason)
    }
  }
}
