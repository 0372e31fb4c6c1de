import type { Area, OpenArea } from '../../ports/area-ports'
import type { QuotaLimitsPort } from '../../ports/quotas'
import type { JobHandler, RecordsTransaction } from '../../ports/records'
import type { TryOutGuest } from '../compute/images/try-out'
import type { Engine } from '../engine'
import type { NetworkOwner } from '../networking/default-network'

/** Dependencies passed to an area of this host when it opens. */
export interface MachineTools {
  engine: Engine
  /** Shared by the ports of all areas. */
  quotaLimits: QuotaLimitsPort
  /** Whether this host can run a load balancer as an active-standby pair. */
  hasPairs: boolean
  /** The project of system scopes, which owns the objects that the engine creates for everyone. */
  owner(): Promise<NetworkOwner>
  /** Guest to publish as a public image once; null: none. */
  tryOutGuest: TryOutGuest | null
}

/**
 * An opened area of this host: its port, its capabilities, and its work outside of commands. At server start, all areas
 * are seeded first, then prepared, and then all start to follow the host.
 */
export type OpenMachineArea<Name extends Area> = OpenArea<Name> & {
  /** Job handlers by job name. */
  jobs?: Readonly<Record<string, JobHandler>>
  /**
   * Reads what its initial rows depend on. Returns a function that creates the missing rows in one transaction shared
   * with the other areas.
   */
  seed?(): Promise<(tx: RecordsTransaction) => Promise<void>>
  /** Repairs what an earlier server left behind, and opens the resources that live as long as the engine. */
  prepare?(): Promise<void>
  /** Follows events on this host. Returns a function that stops it. */
  follow?(): () => Promise<void>
  /** Work that the start does not wait for. It stops when the signal aborts. */
  inBackground?(signal: AbortSignal): Promise<unknown>
}

/** An area that this host can serve. */
export interface MachineArea<Name extends Area = Area> {
  area: Name
  /** Areas that must also be served, in addition to those that the contract requires. */
  needs?: readonly Area[]
  open(tools: MachineTools): OpenMachineArea<Name>
}
