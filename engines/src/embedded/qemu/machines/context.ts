import type { MachineEvent } from '../../hypervisor'
import type { EmulatorChoice } from '../devices/arguments'
import type { Confinement } from '../confinement/confinement'
import type { Log } from '../../../ports/records'

/** What a machine needs of its surroundings. */
export interface MachineContext {
  emulator: string
  choice: EmulatorChoice
  confinement: Confinement
  /** The machine's folder as files are opened. */
  folder: string
  /** The same folder by a name that is short enough for socket paths. */
  shortFolder: string
  log: Log
  say(event: MachineEvent): void
}
