import type { Area, OpenArea } from '../../ports/area-ports'
import type { QuotaLimitsPort } from '../../ports/quotas'
import type { JobHandler, RecordsTransaction } from '../../ports/records'
import type { TryOutGuest } from '../compute/images/try-out'
import type { Engine } from '../engine'
import type { NetworkOwner } from '../networking/default-network'

/** What an area of this machine is opened with. */
export interface MachineTools {
  engine: Engine
  /** The one that ports of all areas have. */
  quotaLimits: QuotaLimitsPort
  /** Whether two load balancers can stand in for one another on this host. */
  hasPairs: boolean
  /** The project of system scopes, which owns what the engine makes for everyone. */
  owner(): Promise<NetworkOwner>
  /** A guest to make a public image of, once; null: none. */
  tryOutGuest: TryOutGuest | null
}

/**
 * An area of this machine that is open: its port, its capabilities, and what it does beside its commands. At the start of a
 * server all areas that it serves make their first rows, then all prepare, then all follow.
 */
export type OpenMachineArea<Name extends Area> = OpenArea<Name> & {
  /** Handlers of its jobs, by their names. */
  jobs?: Readonly<Record<string, JobHandler>>
  /**
   * Looks up what its first rows need, and answers what makes those that are missing: in one transaction with those of other
   * areas.
   */
  seed?(): Promise<(tx: RecordsTransaction) => Promise<void>>
  /** Puts right what an earlier server left, and opens what lives as long as the engine. */
  prepare?(): Promise<void>
  /** Follows what happens on this host. Answers how to stop. */
  follow?(): () => Promise<void>
  /** What the start does not wait for. It stops when the signal fires. */
  inBackground?(signal: AbortSignal): Promise<unknown>
}

/** An area that this machine can serve. */
export interface MachineArea<Name extends Area = Area> {
  area: Name
  /** What it is served only together with, beyond what the contract says of the area. */
  needs?: readonly Area[]
  open(tools: MachineTools): OpenMachineArea<Name>
}
