import type { DeletionLock } from '@mainstay/contract/core/deletion-locks'
import type { Kind } from '@mainstay/contract/core/kind'
import type { FacetQuery, Facets } from '@mainstay/contract/core/lists/facets'
import type { Page, PageQuery } from '@mainstay/contract/core/lists/paging'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Entity, Records, RecordsTransaction } from '@mainstay/engines/ports/records'
import type { FeedItem, Observation, UnreadableRows } from '@mainstay/engines/ports/feed'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { RawBuilder, Transaction } from 'kysely'
import type { Database } from '../store/schema'
import type { FacetBounds } from './lists/facets'
import type { Owned } from './visibility'

/** The rows of a kind that a scope can see, as a part of a query. */
export interface VisibleRows {
  /** A subquery with the name `visible`. With filters, it has only the rows that match. */
  from: RawBuilder<unknown>
  /** The column with the exact values at the path of a filter. Times are milliseconds since 1970. */
  column: (path: string) => RawBuilder<unknown>
}

/** An entry in the change log, with the columns that determine which scopes may receive it. */
export interface LoggedChange extends Owned {
  revision: number
  kind: string
  id: string
  op: 'put' | 'remove'
  /** Previous owner of the row; null if unchanged or if there was no row. */
  before: Owned | null
  /** When the change was made, as RFC 3339 text. */
  at: string
}

/** A caller's transaction, in which other code can write as well. */
export interface Inside {
  records: RecordsTransaction
  sql: Sql
}

/**
 * A source's access to the index. Sources are `embedded`, `ENGINE:NAME` for a cloud, and `server` for rows that no
 * engine owns. Rows that a source creates belong to it. Its observations do not replace other sources' rows, and its
 * full reads do not remove them.
 */
export interface RowSource extends Records {
  /** Name of the source. */
  readonly source: string
  /** Like the engine's transaction, but also passes the database, for writes that must be atomic with rows. */
  transaction<Result>(
    work: (records: RecordsTransaction, db: Transaction<Database>, sql: Sql) => Promise<Result>,
  ): Promise<Result>
  /**
   * Writes observations from a cloud. Skips observations older than what the index knows about the row, so that a
   * removed row is not restored. Also skips rows of this server's other sources, which count as unreadable.
   */
  applyObservations(observations: readonly Observation[]): Promise<void>
  /** Rows of each of a cloud's kinds that could not be indexed when last observed. */
  unreadable(): UnreadableRows[]
  /**
   * Follows an engine's feed from its beginning. At the end of a full read, removes the rows that the read did not
   * report.
   */
  follower(): (items: readonly FeedItem[]) => Promise<void>
}

/** The index of all resources. Nothing else reads or writes `resource`. Its own writes have the source `server`. */
export interface Inventory extends RowSource {
  /**
   * The index as used by a source; always the same object for the same name. Request all sources at startup before
   * following any of them: rows of sources not yet requested are taken over by the next source that reports them.
   */
  from(source: string): RowSource
  /** Rows of all sources that could not be indexed. */
  unreadable(): UnreadableRows[]
  /**
   * A page of the rows of a kind that the scope can see. `query` holds the page parameters and the kind's filters as
   * strings. Throws an `invalid_filter`, `invalid_marker` or `validation` error that names the parameter.
   */
  list<Row extends Entity>(kind: Kind, scope: Scope, query: PageQuery): Promise<Page<Row>>
  /**
   * Finds rows by name, at most `limit` per kind, among those that the scope can see. Returns the rows by kind: first
   * those whose name starts with the text, then other matches of the list search, each group sorted by name. If there
   * are very many matches, only some of them are considered. Throws `invalid_filter` or `validation`.
   */
  named(kinds: readonly Kind[], scope: Scope, text: string, limit: number): Promise<Map<string, Entity[]>>
  /**
   * The most frequent values of one filter among the matching rows that the scope can see, in descending order. Rows
   * and time are limited; beyond the limits, counts are omitted. Throws `invalid_filter`.
   */
  facets(kind: Kind, scope: Scope, query: FacetQuery, bounds?: FacetBounds): Promise<Facets>
  /** A row as the scope sees it. Throws `not_found`. */
  view<Row extends Entity>(kind: Kind, scope: Scope, id: string): Promise<Row>
  /** The rows with these IDs that the scope can see, in the order of the IDs. */
  several<Row extends Entity>(kind: Kind, scope: Scope, ids: string[]): Promise<Row[]>
  /** Sets or removes (null) a row's deletion lock. Returns the row. Throws `not_found` or `invalid_state`. */
  setDeletionLock(kind: Kind, scope: Scope, id: string, lock: Omit<DeletionLock, 'at'> | null): Promise<Entity>
  /**
   * Runs a command that deletes `askedFor` and with it these rows. Throws `deletion_locked` if one of them is locked.
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
   * Number that identifies the state of a row for ETag and If-Match and differs after each change. Null if there is no
   * such row. It is not a revision of the change log.
   */
  revisionOf(kind: Kind, id: string): Promise<number | null>
  /**
   * Changes after a revision, in order. Null if the log does not reach back that far, or if the revision is not in the
   * log.
   */
  changesSince(revision: number, limit: number): Promise<LoggedChange[] | null>
  /** Calls the listener shortly after each commit, on this or another replica. */
  onCommitted(listener: () => void): () => void
  /**
   * Whether a scope may see a row, by the same rule as for lists. Used for events. Checks the row's current state if
   * `entity` is given, otherwise its state at the time of the change.
   */
  canReceive(kind: Kind, scope: Scope, entity: Entity | null, change: LoggedChange): boolean
  /**
   * Counts the rows that the scope can see by the value at a declared filter or sort path, for example instances by
   * status. Null counts as ''.
   */
  countBy(kind: Kind, scope: Scope, path: string): Promise<Record<string, number>>
  /**
   * Runs a query over the filter columns of the rows that the scope can see, for sums and counts that no list can
   * express. The query must limit the number of its results. `filters`: the kind's filters and the search, as strings
   * in the syntax of lists; throws an `invalid_filter` error that names the parameter.
   */
  aggregate<Result>(
    kind: Kind,
    scope: Scope,
    query: (rows: VisibleRows) => RawBuilder<Result>,
    filters?: Readonly<Record<string, unknown>>,
  ): Promise<Result[]>
  /** Deletes changes older than this. Sockets that were disconnected for longer must reload everything. */
  pruneChanges(olderThanSeconds: number): Promise<void>
  /** Drops side tables whose declaration is no longer used by any server. */
  dropUnusedTables(): Promise<void>
  /**
   * Updates the planner statistics of tables that have grown a lot, before they are listed. Returns the table names.
   */
  analyzeGrown(): Promise<string[]>
  /** Kinds by name, as given at startup. */
  kinds: ReadonlyMap<string, Kind>
  close(): void
}
