import type { Area, AreaCapabilities, AreaPorts } from './area-ports'
import type { Sql } from './engines'
import type { FeedItem, Observation } from './feed'
import type { IdentityPort } from './identity'
import type { CommandJobs, Log, Records, RecordsTransaction } from './records'
import type { Secret } from './secret'

/**
 * A kind that an engine is the source of. With `record`, the index is the primary record and the engine writes to it.
 * With `feed`, the index is a cache of the cloud, and `part` is the part of the cloud that lists are read from.
 */
export type KindSource = { kind: string; area: Area } & ({ view: 'record' } | { view: 'feed'; part: string })

/** All rows of an engine's cloud, followed by their changes. */
export interface Feed {
  follow(signal: AbortSignal): AsyncIterable<FeedItem>
}

/** What an engine can serve, known before anything is opened. */
export interface EngineOffer {
  /** Unique in an installation: `embedded`, or the software and name of a cloud. Stored with rows and kind claims. */
  source: string
  areas: readonly Area[]
  /** Areas that it must serve together with an area, in addition to those in the contract (`needs`). */
  needs: Readonly<Partial<Record<Area, readonly Area[]>>>
  kinds: readonly KindSource[]
  /** Its data is on this host, so that only one server of a database may open it. */
  isOfThisMachine?: boolean
  /** Opens the engine for these areas. Throws user-facing errors if its settings cannot be used. */
  open(areas: ReadonlySet<Area>, lent: EngineServices): Promise<Engine>
}

/** Records and the engine's own tables in one transaction. */
export interface RecordsAndTables extends Records {
  transaction<Result>(work: (records: RecordsTransaction, sql: Sql) => Promise<Result>): Promise<Result>
}

/** Encrypts secrets that must be read back, with the installation key, which is not stored in the database. */
export interface Seals {
  /** `place` names the purpose and location of the text, and is required to unseal it. */
  seal(text: Secret, place: string): Buffer
  /** Null if it was sealed with another key, or for another place. */
  unseal(sealed: Buffer, place: string): Secret | null
}

/** The certificate that the server's own endpoints use. */
export interface TlsCertificate {
  /** PEM; null if they use plain HTTP. */
  pair(): { cert: string; key: string } | null
  /** Calls back with the pair that new connections use from now on. */
  onChange(listener: (pair: { cert: string; key: string }) => void): void
}

/** Services that the server provides to an engine. */
export interface EngineServices {
  sql: Sql
  records: RecordsAndTables
  /**
   * Updates the index with observations at once, so that callers see the effect of their own action. Newer rows are
   * kept, and kinds that the engine is not the source of are ignored.
   */
  applyObservations(observations: readonly Observation[]): Promise<void>
  jobs: CommandJobs
  log: Log
  seals: Seals
  certificate: TlsCertificate
  /** The identity port of the installation. Available once all engines are composed, that is from `open` on. */
  identity(): IdentityPort
}

/** An engine of this installation. */
export interface Engine {
  source: string
  /** Name of the software, for operators: `embedded`, or that of its cloud. */
  name: string
  /** Details of its platform, for operators. `terraform` is set if the Terraform provider of its cloud can be used. */
  about: { hypervisor: string; accelerator: string; simulated: boolean; terraform?: boolean }
  /** Host requirements that are not met now, with advice, for operators. Omitted if it has none. */
  problems?(): string[]
  /** IDs of the nodes that can be reached from this server; omitted if there are none. */
  nodes?: readonly string[]
  ports: Partial<AreaPorts>
  /** Areas that cannot be served after all, with the reason and what to install. */
  missing: Partial<Record<Area, string>>
  capabilities: Partial<AreaCapabilities>
  /** Null if the index is its primary record. */
  feed: Feed | null
  /** Starts watching, and repairs what changed while the server was down. Job handlers are registered before. */
  open(): Promise<void>
  close(): Promise<void>
}

/** An offer with the areas assigned to it. */
export interface PlannedEngine {
  offer: EngineOffer
  areas: ReadonlySet<Area>
  /** The kinds of these areas. */
  kinds: readonly KindSource[]
}

/** The assignment of engines to areas, before anything is opened. */
export interface EnginePlan {
  /** The source that serves each area; null if it is not served. */
  areas: Readonly<Record<Area, string | null>>
  engines: readonly PlannedEngine[]
  /** `lendTo` returns the services for the engine with this source. */
  open(lendTo: (source: string) => Omit<EngineServices, 'identity'>): Promise<Composed>
}

/** An area with the engine that serves it, or with advice if there is none. */
export type ServedArea = { engine: Engine; advice: null } | { engine: null; advice: string }

export interface ComposedEngine extends Engine, Pick<PlannedEngine, 'areas' | 'kinds'> {
  /** Its first area, by which operators identify it. */
  area: Area
}

/** All engines of an installation, combined into one. */
export interface Composed {
  engines: readonly ComposedEngine[]
  /** Every command of an unserved area rejects with `not_configured` and the advice. */
  ports: AreaPorts
  areas: Readonly<Record<Area, ServedArea>>
  capabilities: AreaCapabilities
  open(): Promise<void>
  close(): Promise<void>
}
