import type { DeletionLock } from '@mainstay/contract/core/deletion-locks'
import type { Kind } from '@mainstay/contract/core/kind'
import type { FacetQuery, Facets } from '@mainstay/contract/core/lists/facets'
import type { Page, PageQuery } from '@mainstay/contract/core/lists/paging'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Entity, Records, RecordsTransaction } from '@mainstay/engines/ports/records'
import type { FeedItem, Observation, UnreadableRows } from '@mainstay/engines/ports/feed'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Transaction } from 'kysely'
import type { Database } from '../store/schema'
import type { FacetBounds } from './lists/facets'
import type { Owned } from './visibility'

/** An entry of the change log, with the columns that decide which scopes may receive it. */
export interface LoggedChange extends Owned {
  revision: number
  kind: string
  id: string
  op: 'put' | 'remove'
  /** Previous owner of the row; null if unchanged or if there was no row. */
  before: Owned | null
  /** RFC 3339 */
  at: string
}

/**
 * The index as one source writes it: `embedded`, `ENGINE:NAME` of a cloud, or `server` for rows that no engine owns.
 * Rows that it creates belong to it. It neither replaces rows of other sources by its observations nor removes them
 * after a full read.
 */
export interface RowSource extends Records {
  /** Name of the source. */
  readonly source: string
  /** Like the engine's transaction, but with the database, for writes that must be atomic with rows. */
  transaction<Result>(
    work: (records: RecordsTransaction, db: Transaction<Database>, sql: Sql) => Promise<Result>,
  ): Promise<Result>
  /**
   * Writes observations of a cloud. Skips observations older than what the index knows about the row, so that a removed
   * row is not restored. Also skips rows of other sources of this server, which count as unreadable.
   */
  applyObservations(observations: readonly Observation[]): Promise<void>
  /** Rows of each kind of a cloud that could not be indexed when last observed. */
  unreadable(): UnreadableRows[]
  /**
   * Follows the feed of an engine from its beginning. The end of a full read removes the rows that it did not report.
   */
  follower(): (items: readonly FeedItem[]) => Promise<void>
}

/** The index of all resources, the only reader and writer of `resource`. Its own writes have the source `server`. */
export interface Inventory extends RowSource {
  /**
   * The index for a source; always the same object for a name. Request all sources at startup, before any of them is
   * followed: rows of other sources are taken over by the next source that reports them.
   */
  from(source: string): RowSource
  /** Rows of all sources that could not be indexed. */
  unreadable(): UnreadableRows[]
  /**
   * A page of rows of a kind that the scope can see. `query` holds the parameters of the page and the filters of the
   * kind as strings. Throws `invalid_filter`, `invalid_marker` or `validation` with the name of the parameter.
   */
  list<Row extends Entity>(kind: Kind, scope: Scope, query: PageQuery): Promise<Page<Row>>
  /**
   * Finds rows by name in each of these kinds, at most `limit` per kind, among those that the scope can see. Returns
   * rows by kind: first those whose name starts with the text, then other matches of the list search, each sorted by
   * name. With very many matches, only some are considered. Throws `invalid_filter`, `validation`.
   */
  named(kinds: readonly Kind[], scope: Scope, text: string, limit: number): Promise<Map<string, Entity[]>>
  /**
   * Values of one filter among the matching rows that the scope can see, the most frequent first. Limited in rows and
   * time; beyond the limits, counts are omitted. Throws `invalid_filter`.
   */
  facets(kind: Kind, scope: Scope, query: FacetQuery, bounds?: FacetBounds): Promise<Facets>
  /** A row as the scope sees it. Throws `not_found`. */
  view<Row extends Entity>(kind: Kind, scope: Scope, id: string): Promise<Row>
  /** Rows by ID that the scope can see, in the order of the IDs. */
  several<Row extends Entity>(kind: Kind, scope: Scope, ids: string[]): Promise<Row[]>
  /** Locks a row against deletion, or removes its lock (null). Returns the row. Throws `not_found`, `invalid_state`. */
  setDeletionLock(kind: Kind, scope: Scope, id: string, lock: Omit<DeletionLock, 'at'> | null): Promise<Entity>
  /**
   * Runs a command that deletes these rows because `askedFor` is deleted. Throws `deletion_locked` if one of them is
   * locked.
   */
  deleting<Result>(
    deletion: { going: readonly { kind: string; id: string; name: string }[]; askedFor: string },
    command: () => Promise<Result>,
  ): Promise<Result>
  /** Rows by ID, regardless of visibility. The caller must apply `canReceive` and `redactFor` for each reader. */
  rowsOf(kind: Kind, ids: string[]): Promise<Map<string, Entity>>
  /** The row without the fields that the scope may not read. */
  redactFor<Row extends Entity>(kind: Kind, scope: Scope, entity: Row): Row
  /** Revision of the latest change, which includes all changes committed before the call. */
  revision(): Promise<number>
  /**
   * Identifies the state of a row for ETag and If-Match; differs after each change. Null if there is no row. Not a
   * revision of the change log.
   */
  revisionOf(kind: Kind, id: string): Promise<number | null>
  /**
   * Changes after a revision, in order. Null if the log does not reach back that far or does not contain the revision.
   */
  changesSince(revision: number, limit: number): Promise<LoggedChange[] | null>
  /** Calls the listener shortly after each commit, on this or another replica. */
  onCommitted(listener: () => void): () => void
  /**
   * Whether a scope may see a row; the same rule as for lists, used for events. Checks the row in its current state if
   * `entity` is given, else as of the change.
   */
  canReceive(kind: Kind, scope: Scope, entity: Entity | null, change: LoggedChange): boolean
  /**
   * Counts rows that the scope can see by a declared filter or sort path, for example instances by status. Null counts
   * as ''.
   */
  countBy(kind: Kind, scope: Scope, path: string): Promise<Record<string, number>>
  /** Deletes changes older than this. Sockets that were disconnected for longer have to reload everything. */
  pruneChanges(olderThanSeconds: number): Promise<void>
  /** Drops side tables whose declaration no server uses anymore. */
  dropUnusedTables(): Promise<void>
  /** Updates the planner statistics of tables that have grown a lot, before they are listed. Returns their names. */
  analyzeGrown(): Promise<string[]>
  /** Kinds by name, as given at startup. */
  kinds: ReadonlyMap<string, Kind>
  close(): void
}
