import type { MachineEvent } from '../hypervisor'
import type { EmulatorChoice } from './arguments'

export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** What a machine needs of its surroundings. */
export interface Surroundings {
  emulator: string
  choice: EmulatorChoice
  /** The machine's folder as files are opened. */
  folder: string
  /** The same folder by a name that is short enough for socket paths. */
  shortFolder: string
  log: Log
  say(event: MachineEvent): void
}
