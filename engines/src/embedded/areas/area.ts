import type { Area, OpenArea } from '../../ports/area-ports'
import type { QuotaLimitsPort } from '../../ports/quotas'
import type { JobHandler, RecordsTransaction } from '../../ports/records'
import type { SampleImage } from '../compute/images/sample'
import type { Engine } from '../engine'
import type { NetworkOwner } from '../networking/default-network'

/** Dependencies passed to an area when it is opened. */
export interface MachineTools {
  engine: Engine
  /** Shared by the ports of all areas. */
  quotaLimits: QuotaLimitsPort
  /** Whether this host can run a load balancer as an active-standby pair. */
  hasPairs: boolean
  /** Returns the project that system scopes act in. It owns the shared objects that the engine creates. */
  owner(): Promise<NetworkOwner>
  /** Guest to publish once as a public image, or null if there is none. */
  sampleImage: SampleImage | null
}

/**
 * An area opened on this host: its port, its capabilities, and the work that it does in addition to commands. When the
 * server starts, all areas are seeded, then all are prepared, and then all start following events on the host.
 */
export type OpenMachineArea<Name extends Area> = OpenArea<Name> & {
  /** Job handlers, keyed by job name. */
  jobs?: Readonly<Record<string, JobHandler>>
  /**
   * Reads the data that the area's initial rows depend on. Returns a function that creates the missing rows in one
   * transaction shared by all areas.
   */
  seed?(): Promise<(tx: RecordsTransaction) => Promise<void>>
  /** Repairs state left behind by an earlier server, and opens resources that live as long as the engine. */
  prepare?(): Promise<void>
  /** Starts following events on this host. Returns a function that stops following them. */
  follow?(): () => Promise<void>
  /** Work that does not delay the server start. It stops when the signal aborts. */
  inBackground?(signal: AbortSignal): Promise<unknown>
}

/** An area that this host can serve. */
export interface MachineArea<Name extends Area = Area> {
  area: Name
  /** Areas that must be served along with this one, in addition to those required by the contract. */
  needs?: readonly Area[]
  open(tools: MachineTools): OpenMachineArea<Name>
}
