import type { Area, AreaCapabilities, AreaPorts } from './area-ports'
import type { Sql } from './engines'
import type { FeedItem, Observation } from './feed'
import type { IdentityPort } from './identity'
import type { CommandJobs, Log, Records, RecordsTransaction } from './records'
import type { Secret } from './secret'

/**
 * A kind that an engine is the source of. With `record`, the index is the system of record, and the engine writes to
 * it. With `feed`, the index is a cache of the cloud, and `part` names the cloud service that the rows are read from.
 */
export type KindSource = { kind: string; area: Area } & ({ view: 'record' } | { view: 'feed'; part: string })

/** All rows in an engine's cloud, followed by their changes. */
export interface Feed {
  follow(signal: AbortSignal): AsyncIterable<FeedItem>
}

/** The areas and kinds that an engine can serve, known before it is opened. */
export interface EngineOffer {
  /** Unique in an installation: `embedded`, or the software and name of a cloud. Stored with rows and kind claims. */
  source: string
  areas: readonly Area[]
  /**
   * For each area, the areas that the engine must serve together with it, in addition to those in the contract
   * (`needs`).
   */
  needs: Readonly<Partial<Record<Area, readonly Area[]>>>
  kinds: readonly KindSource[]
  /** The engine's data is on this host, so only one of the servers that share a database may open it. */
  isOfThisMachine?: boolean
  /** Opens the engine for these areas. Throws a user-facing error if its settings cannot be used. */
  open(areas: ReadonlySet<Area>, lent: EngineServices): Promise<Engine>
}

/** Records and the engine's own tables in one transaction. */
export interface RecordsAndTables extends Records {
  transaction<Result>(work: (records: RecordsTransaction, sql: Sql) => Promise<Result>): Promise<Result>
}

/** Encrypts secrets that must be readable later. Uses the installation key, which is not stored in the database. */
export interface Seals {
  /** Encrypts a text. `place` names the purpose and location of the text, and is required to unseal it. */
  seal(text: Secret, place: string): Buffer
  /** Returns null if it was sealed with another key or for another place. */
  unseal(sealed: Buffer, place: string): Secret | null
}

/** The certificate that the server uses for its own endpoints. */
export interface TlsCertificate {
  /** Returns the certificate and key in PEM, or null if the endpoints use plain HTTP. */
  pair(): { cert: string; key: string } | null
  /** Calls `listener` with the pair whenever it changes. New connections use the new pair. */
  onChange(listener: (pair: { cert: string; key: string }) => void): void
}

/** Services that the server provides to an engine. */
export interface EngineServices {
  sql: Sql
  records: RecordsAndTables
  /**
   * Updates the index with observations immediately, so that callers see the effects of their own actions. Newer rows
   * are kept, and kinds that the engine does not own are ignored.
   */
  applyObservations(observations: readonly Observation[]): Promise<void>
  jobs: CommandJobs
  log: Log
  seals: Seals
  certificate: TlsCertificate
  /**
   * Returns the installation's identity port. Available once all engines are composed, that is, from `open` onwards.
   */
  identity(): IdentityPort
}

/** An engine of this installation. */
export interface Engine {
  source: string
  /** Name of the software, for operators: `embedded`, or the name of its cloud software. */
  name: string
  /** Platform details, for operators. `terraform` is set if the Terraform provider for its cloud can be used. */
  about: { hypervisor: string; accelerator: string; simulated: boolean; terraform?: boolean }
  /**
   * Returns the host requirements that are currently not met, with advice, for operators. Omitted if the engine has no
   * requirements.
   */
  problems?(): string[]
  /** IDs of the nodes that can be reached from this server; omitted if there are none. */
  nodes?: readonly string[]
  ports: Partial<AreaPorts>
  /** Areas that turned out not to be available, with the reason and what to install. */
  missing: Partial<Record<Area, string>>
  capabilities: Partial<AreaCapabilities>
  /** Null if the index is its system of record. */
  feed: Feed | null
  /**
   * Starts monitoring, and reconciles changes that happened while the server was down. Job handlers are registered
   * first.
   */
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
  /** Opens the engines. `lendTo` returns the services for the engine with this source. */
  open(lendTo: (source: string) => Omit<EngineServices, 'identity'>): Promise<Composed>
}

/** An area with the engine that serves it, or advice if no engine does. */
export type ServedArea = { engine: ComposedEngine; advice: null } | { engine: null; advice: string }

export interface ComposedEngine extends Engine, Pick<PlannedEngine, 'areas' | 'kinds'> {
  /** The engine's first area, by which operators identify the engine. */
  area: Area
  /** Whether its data is on this host. */
  isOfThisMachine: boolean
}

/** All engines of an installation, combined into one. */
export interface Composed {
  engines: readonly ComposedEngine[]
  /** Every command of an unserved area rejects with a `not_configured` error that contains the advice. */
  ports: AreaPorts
  areas: Readonly<Record<Area, ServedArea>>
  capabilities: AreaCapabilities
  open(): Promise<void>
  close(): Promise<void>
}
