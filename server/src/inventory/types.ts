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

/** A row of the change log with the columns that decide who may hear of it. */
export interface LoggedChange extends Owned {
  revision: number
  kind: string
  id: string
  op: 'put' | 'remove'
  /** Whose the row was before, where that was different; null where it was the same or there was no row. */
  before: Owned | null
  /** RFC 3339 */
  at: string
}

/**
 * The index as one source of rows writes it: `embedded`, `ENGINE:NAME` of a cloud, or `server` for what no engine has.
 * Rows that it makes are its own; those of other sources it neither replaces by what it saw nor removes at the end of a full read.
 */
export interface RowSource extends Records {
  /** The source's name. */
  readonly source: string
  /** As an engine has it, and with the database for what must be written together with rows. */
  transaction<Result>(
    work: (records: RecordsTransaction, db: Transaction<Database>, sql: Sql) => Promise<Result>,
  ): Promise<Result>
  /**
   * Writes observations of a cloud. An observation that is older than what the index knows of its row is not written, so a
   * row that was removed meanwhile does not come back. A row that another source of this server has is not written either,
   * and counts as unreadable.
   */
  applyObservations(observations: readonly Observation[]): Promise<void>
  /** Rows of each kind of a cloud that could not be indexed when they were seen last. */
  unreadable(): UnreadableRows[]
  /** Follows an engine whose view is a feed, from its beginning: what a full read does not tell is removed at its end. */
  follower(): (items: readonly FeedItem[]) => Promise<void>
}

/** The index of every resource: the only reader and writer of `resource`. By itself it writes as the source `server`. */
export interface Inventory extends RowSource {
  /**
   * The index as a source writes it, always the same one for a name. Sources are asked for when the server starts, before
   * any of them is followed: a row whose source was not asked for is taken over by the source that tells it.
   */
  from(source: string): RowSource
  /** Rows that could not be indexed, of all sources. */
  unreadable(): UnreadableRows[]
  /**
   * One page of a kind as the scope may see it. `query` holds the page's parameters and the kind's filters as
   * strings. Throws `invalid_filter`, `invalid_marker`, `validation` naming the parameter.
   */
  list<Row extends Entity>(kind: Kind, scope: Scope, query: PageQuery): Promise<Page<Row>>
  /**
   * Rows of each of these kinds that the scope may see and that are called so, by the names of the kinds and at most `limit`
   * of each: first those whose name begins with the text, then those in which the search of lists finds it, each by name.
   * Of very many that contain it some are answered. Throws `invalid_filter`, `validation`.
   */
  named(kinds: readonly Kind[], scope: Scope, text: string, limit: number): Promise<Map<string, Entity[]>>
  /**
   * The values of one filter among the rows that match further ones and that the scope may see, the most frequent first.
   * Bounded in rows and in time: beyond the bounds values come without counts. Throws `invalid_filter`.
   */
  facets(kind: Kind, scope: Scope, query: FacetQuery, bounds?: FacetBounds): Promise<Facets>
  /** One row as the scope may see it; throws `not_found`. */
  view<Row extends Entity>(kind: Kind, scope: Scope, id: string): Promise<Row>
  /** Several rows by id, those that the scope may see, in the order asked. */
  several<Row extends Entity>(kind: Kind, scope: Scope, ids: string[]): Promise<Row[]>
  /** Locks a row against deletion, or (null) removes its lock; answers the row. Throws `not_found`, `invalid_state`. */
  setDeletionLock(kind: Kind, scope: Scope, id: string, lock: Omit<DeletionLock, 'at'> | null): Promise<Entity>
  /**
   * Runs a command that deletes these rows, because the one `askedFor` is to be deleted. Throws `deletion_locked` where one
   * of them is locked.
   */
  deleting<Result>(
    deletion: { going: readonly { kind: string; id: string; name: string }[]; askedFor: string },
    command: () => Promise<Result>,
  ): Promise<Result>
  /** Rows by id, whoever may see them. The caller asks `canReceive` and `redactFor` for each reader. */
  rowsOf(kind: Kind, ids: string[]): Promise<Map<string, Entity>>
  /** The row without the fields that the scope may not read. */
  redactFor<Row extends Entity>(kind: Kind, scope: Scope, entity: Row): Row
  /** Number of the newest change. Everything that was committed before this was asked is among the changes up to it. */
  revision(): Promise<number>
  /**
   * What names the state of one row (for ETag and If-Match), another one after each change; null when there is no row. It
   * is no number of the change log.
   */
  revisionOf(kind: Kind, id: string): Promise<number | null>
  /** Changes after a revision, in order; null when the log does not reach back that far, or the revision is not of it. */
  changesSince(revision: number, limit: number): Promise<LoggedChange[] | null>
  /** Calls back soon after something was committed, here or at another replica. */
  onCommitted(listener: () => void): () => void
  /**
   * Whether a row may be seen in a scope: the same rule as in lists, for events. With `entity` the row as it is; without,
   * the row as it was at the change.
   */
  canReceive(kind: Kind, scope: Scope, entity: Entity | null, change: LoggedChange): boolean
  /** Counts by a declared filter or sort path, e.g. instances by status, as the scope may see them; '' where it is null. */
  countBy(kind: Kind, scope: Scope, path: string): Promise<Record<string, number>>
  /** Forgets changes older than this; sockets away for longer load everything anew. */
  pruneChanges(olderThanSeconds: number): Promise<void>
  /** Drops side tables of declarations that no server has any more. */
  dropUnusedTables(): Promise<void>
  /** Lets the database know of tables that have grown much, before lists of them are asked for. Answers their names. */
  analyzeGrown(): Promise<string[]>
  /** Kinds by name, as given at the start. */
  kinds: ReadonlyMap<string, Kind>
  close(): void
}
