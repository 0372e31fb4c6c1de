import type { NetworkService } from '@mainstay/contract/networking/network-service'
import type { ReachAnswer, ReachQuestion, WantedNetworks } from '../network-model/wanted'
import type { Area } from '../ports/area-ports'
import type { Seals } from '../ports/engine'
import type { Jobs, Log, Records } from '../ports/records'
import type { Files } from './files'
import type { Hypervisor, MachineNic } from './hypervisor'
import type { Limits } from './limits'

/** Dependencies of all parts of the embedded engine. */
export interface Engine {
  /** The areas that this host serves. Rows of other areas belong to another engine. */
  areas: ReadonlySet<Area>
  records: Records
  jobs: Jobs
  hypervisor: Hypervisor
  files: Files
  log: Log
  limits: Limits
  /** Encrypts secrets that must be read again. */
  seals: Seals
  carrier: Carrier
  /** Limits how many copies, checks and conversions of disks and images run at a time, in total and per project. */
  withPermit<Result>(projectId: string, work: () => Promise<Result>): Promise<Result>
}

/** Applies the rows of networks to this host, and plugs the network interfaces of machines into them. */
export interface Carrier {
  /**
   * Call after committing changes to rows: the host is updated soon. Changes made in the meantime are applied together.
   */
  changed(): void
  /** Resolves once the host matches the rows as of this call or later. Rejects if they could not be applied. */
  settled(): Promise<void>
  /** Whether load balancers can run as active-standby pairs. */
  readonly hasPairs: boolean
  /** Why this host has no networks, as a message for users; null if it has them. */
  unavailable(): string | null
  /** Why it has no VPN although it has networks, as a message for users; null if it has both. */
  vpnUnavailable(): string | null
  /**
   * The network interfaces of a machine in the form in which the hypervisor attaches them, once their ports exist on
   * the host. Rejects if the ports could not be created.
   */
  plugged(nics: readonly MachineNic[]): Promise<MachineNic[]>
  host(): Promise<NetworkService['host']>
  /** The configuration last applied to this host; null: none yet. */
  wanted(): WantedNetworks | null
  /** Calls the listener each time a configuration was applied. Returns a function that unsubscribes. */
  onApplied(listener: () => void): () => void
  /** Sends test packets from a port. */
  check(question: ReachQuestion): Promise<ReachAnswer>
  open(): Promise<void>
  close(): Promise<void>
}
