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
  /** Password of the world's users; generated for each user if null. */
  password: string | null
  /** Reports a user and their password as soon as the user is created. */
  introduce(made: FirstStart): void
}

/** A named set of content for a data folder. */
export interface World {
  /**
   * Fills an empty folder once. Can be repeated after a kill: existing objects are overwritten with the same content.
   */
  fill(tools: WorldTools): Promise<void>
  /** Applies settings on every start. */
  always?(tools: WorldTools): void
}
