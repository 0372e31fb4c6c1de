import { existsSync } from 'node:fs'
import type { MachineState } from '../../hypervisor'
import { fileNames } from '../devices/arguments'
import type { MachineContext } from './context'
import { writeRecord, type MachineRecord } from './record'

/** How one machine stands: its record, which is kept in its folder, and its state, of which listeners hear once for each change. */
export class Standing {
  state: MachineState
  readonly #at: Pick<MachineContext, 'folder' | 'say'>
  readonly #id: string
  #record: MachineRecord
  /** The state that listeners were last told. */
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

  /** Saved memory is removed before a guest that was read from it runs, so where it is, it is right. */
  withoutProcess(): MachineState {
    return this.hasMemory() ? 'saved' : this.#record.ifGone
  }

  /** Found with a process that an earlier server had started. */
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

  /** Listeners hear nothing while this goes on, and afterwards of the state that came of it, with this reason. */
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
