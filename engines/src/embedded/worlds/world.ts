import type { FirstStart } from '../../ports/engines'
import type { IdentityPort } from '../../ports/identity'
import type { Log, Records } from '../../ports/records'
import type { Engine } from '../engine'
import type { SimulatedHypervisor } from '../simulated/simulated'

/** Dependencies for creating a world. */
export interface WorldTools {
  records: Records
  identity: IdentityPort
  cloud: Pick<Engine, 'carrier' | 'files' | 'hypervisor'>
  hypervisor: SimulatedHypervisor
  log: Log
  /** Password of the users of the world; null: generated for each. */
  password: string | null
  /** Reports a user with a password as soon as the user is created. */
  introduce(made: FirstStart): void
}

/** Named content for a data folder. */
export interface World {
  /** Fills an empty folder, once. Can be repeated after a kill: existing objects are written again unchanged. */
  fill(tools: WorldTools): Promise<void>
  /** Settings to apply at every start. */
  always?(tools: WorldTools): void
}
