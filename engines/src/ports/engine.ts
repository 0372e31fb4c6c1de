import type { Area, AreaCapabilities, AreaPorts } from './area-ports'
import type { Sql } from './engines'
import type { FeedItem, Observation } from './feed'
import type { IdentityPort } from './identity'
import type { CommandJobs, Log, Records, RecordsTransaction } from './records'
import type { Secret } from './secret'

/**
 * A kind of rows that an engine is the source of. `record`: the index is the engine's own record, and the engine writes
 * there itself. `feed`: the index is a cache of what a cloud says; `part` is what of the cloud its lists are read from.
 */
export type KindSource = { kind: string; area: Area } & ({ view: 'record' } | { view: 'feed'; part: string })

/** Everything that happens in an engine's cloud, from everything that is there on. */
export interface Feed {
  follow(signal: AbortSignal): AsyncIterable<FeedItem>
}

/** What an engine can be asked to serve, known before anything of it is opened. */
export interface EngineOffer {
  /** Unique in an installation: `embedded`, or software and name of a cloud. Rows and claims name it. */
  source: string
  areas: readonly Area[]
  /** What it serves an area only together with, beyond what the contract says of the area (`needs`). */
  needs: Readonly<Partial<Record<Area, readonly Area[]>>>
  kinds: readonly KindSource[]
  /** What it has lies on this machine: one server of a database alone may open it. */
  isOfThisMachine?: boolean
  /** For these areas. Throws errors for people where what was chosen cannot be fulfilled. */
  open(areas: ReadonlySet<Area>, lent: EngineServices): Promise<Engine>
}

/** Records beside the engine's own tables: one transaction for both. */
export interface RecordsAndTables extends Records {
  transaction<Result>(work: (records: RecordsTransaction, sql: Sql) => Promise<Result>): Promise<Result>
}

/** Seals texts that have to be read again with the key of the installation, which the database does not have. */
export interface Seals {
  /** `place` says what it is for and where it is kept; it opens nowhere else. */
  seal(text: Secret, place: string): Buffer
  /** Null where it was sealed with another key, or for another place. */
  unseal(sealed: Buffer, place: string): Secret | null
}

/** With what the server's own addresses are served. */
export interface TlsCertificate {
  /** PEM; null: all of them are plain HTTP. */
  pair(): { cert: string; key: string } | null
  /** Calls back with what new connections get from now on. */
  onChange(listener: (pair: { cert: string; key: string }) => void): void
}

/** What the server lends to an engine. */
export interface EngineServices {
  sql: Sql
  records: RecordsAndTables
  /**
   * Brings the index up to date with what was seen of a cloud, at once: who acted sees what they did. What is known to
   * be newer stays, and what the engine is not the source of is left alone.
   */
  applyObservations(observations: readonly Observation[]): Promise<void>
  jobs: CommandJobs
  log: Log
  seals: Seals
  certificate: TlsCertificate
  /** Who there is, whichever engine knows them. Not before all engines are there: from `open` on. */
  identity(): IdentityPort
}

/** An engine of this installation. */
export interface Engine {
  source: string
  /** Its software, for operators: `embedded`, or that of its cloud. */
  name: string
  /** What stands behind it, for operators. `terraform`: it can be made with Terraform, by the provider of its cloud. */
  about: { hypervisor: string; accelerator: string; simulated: boolean; terraform?: boolean }
  /** What it lacks on this host now and what to do about it, for operators. Left out where it needs nothing of the host. */
  problems?(): string[]
  /** Ids of the nodes that it reaches from this server; none where left out. */
  nodes?: readonly string[]
  ports: Partial<AreaPorts>
  /** Why it does not serve an area after all, and what to install. */
  missing: Partial<Record<Area, string>>
  capabilities: Partial<AreaCapabilities>
  /** Null where the index is its own record. */
  feed: Feed | null
  /** Starts watching and puts right what happened while the server was away. Its jobs are known before that. */
  open(): Promise<void>
  close(): Promise<void>
}

/** An offer, and what of it is taken. */
export interface PlannedEngine {
  offer: EngineOffer
  areas: ReadonlySet<Area>
  /** The kinds of these areas. */
  kinds: readonly KindSource[]
}

/** Who serves what. Nothing is opened yet. */
export interface EnginePlan {
  /** The source that serves each area; null: nobody does. */
  areas: Readonly<Record<Area, string | null>>
  engines: readonly PlannedEngine[]
  /** `lendTo` answers what the engine of that source is lent. */
  open(lendTo: (source: string) => Omit<EngineServices, 'identity'>): Promise<Composed>
}

/** An area, and the engine that serves it; null with what to do about that. */
export type ServedArea = { engine: Engine; advice: null } | { engine: null; advice: string }

export interface ComposedEngine extends Engine, Pick<PlannedEngine, 'areas' | 'kinds'> {
  /** The first of its areas, by which operators know it. */
  area: Area
}

/** The engines of an installation as one. */
export interface Composed {
  engines: readonly ComposedEngine[]
  /** Of an area that nobody serves, every command rejects with `not_configured` and the advice. */
  ports: AreaPorts
  areas: Readonly<Record<Area, ServedArea>>
  capabilities: AreaCapabilities
  open(): Promise<void>
  close(): Promise<void>
}
