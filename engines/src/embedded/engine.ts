import type { NetworkService } from '@mainstay/contract/networking/network-service'
import type { ReachAnswer, ReachQuestion, WantedNetworks } from '../network-model/wanted'
import type { Area } from '../ports/area-ports'
import type { Seals } from '../ports/engine'
import type { Jobs, Log, Records } from '../ports/records'
import type { ReaderGuest } from './file-reader'
import type { Files } from './files'
import type { Hypervisor, MachineNic } from './hypervisor'
import type { Limits } from './limits'

/** Dependencies shared by all parts of the embedded engine. */
export interface Engine {
  /** The areas that this host serves. Rows of other areas belong to another engine. */
  areas: ReadonlySet<Area>
  records: Records
  jobs: Jobs
  hypervisor: Hypervisor
  files: Files
  log: Log
  limits: Limits
  /** Encrypts secrets that must be read back later. */
  seals: Seals
  carrier: Carrier
  /** The guest that reads the files of recovery points; null if the hypervisor is simulated. */
  fileReader: ReaderGuest | null
  /** Limits concurrent copies, checks and conversions of disks and images, in total and per project. */
  withPermit<Result>(projectId: string, work: () => Promise<Result>): Promise<Result>
}

/** Applies network rows to this host, and connects the network interfaces of machines to the networks. */
export interface Carrier {
  /**
   * Call after committing row changes. The host is updated shortly afterwards; changes made until then are applied
   * together.
   */
  changed(): void
  /** Resolves once the host reflects the rows as of this call or later. Rejects if they could not be applied. */
  settled(): Promise<void>
  /** Whether load balancers can run as active-standby pairs. */
  readonly hasPairs: boolean
  /** Why networking is unavailable on this host, as a message for users; null if it is available. */
  unavailable(): string | null
  /** Why VPN is unavailable although networking is available, as a message for users; null if both are available. */
  vpnUnavailable(): string | null
  /**
   * Converts a machine's network interfaces to the form that the hypervisor attaches, once their ports exist on the
   * host. Rejects if the ports could not be created.
   */
  plugged(nics: readonly MachineNic[]): Promise<MachineNic[]>
  host(): Promise<NetworkService['host']>
  /** The configuration last applied to this host; null if none has been applied yet. */
  wanted(): WantedNetworks | null
  /** Calls the listener after each applied configuration. Returns a function that unsubscribes it. */
  onApplied(listener: () => void): () => void
  /** Sends test packets from a port. */
  check(question: ReachQuestion): Promise<ReachAnswer>
  open(): Promise<void>
  close(): Promise<void>
}
