import type { FirstStart } from '../../ports/engines'
import type { IdentityPort } from '../../ports/identity'
import type { Log, Records } from '../../ports/records'
import type { Engine } from '../engine'
import type { SimulatedHypervisor } from '../simulated/simulated'

/** What a world is made with. */
export interface WorldTools {
  records: Records
  identity: IdentityPort
  cloud: Pick<Engine, 'carrier' | 'files' | 'hypervisor'>
  hypervisor: SimulatedHypervisor
  log: Log
  /** Of the people of the world; generated for each where null. */
  password: string | null
  /** Tells who can sign in, at once. */
  introduce(made: FirstStart): void
}

/** Named contents of a data folder. */
export interface World {
  /** Fills an empty folder, once. May be begun again after a kill: what is there already is made again the same. */
  fill(tools: WorldTools): Promise<void>
  /** What has to be set at every start. */
  always?(tools: WorldTools): void
}
