import type { NetworkService } from '@mainstay/contract/networking/network-service'
import type { ReachAnswer, ReachQuestion, WantedNetworks } from '../network-model/wanted'
import type { Area } from '../ports/area-ports'
import type { Seals } from '../ports/engine'
import type { Jobs, Log, Records } from '../ports/records'
import type { Files } from './files'
import type { Hypervisor, MachineNic } from './hypervisor'
import type { Limits } from './limits'

/** What every part of the embedded engine works with. */
export interface Engine {
  /** What this machine serves. Rows of other areas are those of another engine. */
  areas: ReadonlySet<Area>
  records: Records
  jobs: Jobs
  hypervisor: Hypervisor
  files: Files
  log: Log
  limits: Limits
  /** For what is secret of rows, and has to be read again. */
  seals: Seals
  carrier: Carrier
  /** Copies, checks and conversions of a project's disks and images: only a few run at a time, and of one project fewer. */
  withPermit<Result>(projectId: string, work: () => Promise<Result>): Promise<Result>
}

/** Makes this host so as the rows of networks say, and machines' cards a part of it. */
export interface Carrier {
  /** Rows were changed, and committed: the host follows soon. Of changes that come meanwhile one look sees all. */
  changed(): void
  /** Resolves once the host is as the rows were at this call or later; rejects where it could not be made so. */
  settled(): Promise<void>
  /** Whether a balancer can have another one that stands in for it. */
  readonly hasPairs: boolean
  /** Why this host carries no networks, for people; null where it does. */
  unavailable(): string | null
  /** Why it carries no tunnels though it carries networks, for people; null where it does. */
  vpnUnavailable(): string | null
  /**
   * The cards of a machine as the hypervisor is to plug them in, once the host has their ports. Rejects where it could not be made
   * so.
   */
  plugged(nics: readonly MachineNic[]): Promise<MachineNic[]>
  host(): Promise<NetworkService['host']>
  /** What this host is made as; null: nothing yet. */
  wanted(): WantedNetworks | null
  /** Calls back each time that this host was made so. Answers how to stop. */
  onApplied(listener: () => void): () => void
  /** Packets from the place of a port. */
  check(question: ReachQuestion): Promise<ReachAnswer>
  open(): Promise<void>
  close(): Promise<void>
}
