import type { Kind } from '@mainstay/contract/core/kind'
import type { Page, PageQuery } from '@mainstay/contract/core/paging'
import type { Entity, Records } from '@mainstay/engines/ports/records'
import type { FeedItem } from '@mainstay/engines/ports/feed'
import type { Scope } from '@mainstay/engines/ports/scope'

/** A row of the change log with the columns that decide who may hear of it. */
export interface LoggedChange {
  revision: number
  kind: string
  id: string
  op: 'put' | 'remove'
  domain_id: string | null
  project_id: string | null
  at: string
}

/** The index of every resource: the only reader and writer of `resource`. */
export interface Inventory extends Records {
  /**
   * One page of a kind as the scope may see it. `query` holds the page's parameters and the kind's filters as
   * strings. Throws `invalid_filter`, `invalid_marker`, `validation` naming the parameter.
   */
  list<Row extends Entity>(kind: Kind, scope: Scope, query: PageQuery): Promise<Page<Row>>
  /** One row as the scope may see it; throws `not_found`. */
  view<Row extends Entity>(kind: Kind, scope: Scope, id: string): Promise<Row>
  /** Several rows by id, those that the scope may see, in the order asked. */
  several<Row extends Entity>(kind: Kind, scope: Scope, ids: string[]): Promise<Row[]>
  /** Newest revision whose every predecessor is visible too. */
  revision(): Promise<number>
  /** Changes after a revision, in order; null when the log does not reach back that far. */
  changesSince(revision: number, limit: number): Promise<LoggedChange[] | null>
  /** Calls back soon after something was committed, here or at another replica. */
  onCommitted(listener: () => void): () => void
  /** Whether a row with these columns may be seen in a scope: the same rule as in lists, for events. */
  mayHear(kind: Kind, scope: Scope, entity: Entity | null, change: LoggedChange): boolean
  /** Follows an engine whose view is a feed. */
  absorb(item: FeedItem): Promise<void>
  /** Counts by a field, e.g. instances by status, as the scope may see them. */
  countBy(kind: Kind, scope: Scope, path: string): Promise<Record<string, number>>
}
