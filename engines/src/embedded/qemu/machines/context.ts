import type { MachineEvent } from '../../hypervisor'
import type { EmulatorChoice } from '../devices/arguments'
import type { Confinement } from '../confinement/confinement'
import type { Log } from '../../../ports/records'

export interface MachineContext {
  emulator: string
  choice: EmulatorChoice
  confinement: Confinement
  /** The machine's folder, for opening files. */
  folder: string
  /** The same folder with a path short enough for sockets. */
  shortFolder: string
  log: Log
  say(event: MachineEvent): void
}
