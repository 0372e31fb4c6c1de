import type { Entity, Records } from '../ports/records'
import type { UnreadableRow } from '../ports/feed'
import type { Service, ServiceClient } from './client/service-client'
import type { OnUnreadableRow } from './client/rows'
import type { RememberedFlavorIds } from './compute/flavors/flavor-ids'

/** Dependencies of readers. `caller` uses the service account's token, which has access to all projects. */
export interface Reading {
  caller: ServiceClient
  /** Returns the domain of a project, from a cache. For a deleted project, returns the project's own ID. */
  domainOf(projectId: string): Promise<string>
  /** Whether the project exists. Neutron keeps the policies of deleted projects. */
  isProject?(id: string): Promise<boolean>
  /** The index, for readers whose rows depend on other rows. */
  records?: Records
  /** Cached flavor IDs, for readers of servers. */
  flavorIds?: RememberedFlavorIds
  /**
   * Receives rows that cannot be read, with the name of their list (`servers`). These rows are left out. If this is
   * undefined, one such row makes the whole read fail.
   */
  unreadable?(list: string, row: UnreadableRow): void
}

/** Returns a copy of the reading that skips unreadable rows and reports them to `unreadable`. */
export function tolerant(reading: Reading, unreadable: NonNullable<Reading['unreadable']>): Reading {
  const { caller } = reading
  const pages: ServiceClient['pages'] = (service, path, key, item, options) =>
    caller.pages(service, path, key, item, { ...options, unreadable: (row) => unreadable(key, row) })
  return { ...reading, caller: { ...caller, pages }, unreadable }
}

/** Reports unreadable rows in this list; undefined if the reading does not skip them. */
export const unreadableIn = ({ unreadable }: Reading, list: string): OnUnreadableRow | undefined =>
  unreadable && ((row) => unreadable(list, row))

/** Reads rows of one kind from the cloud, for the feed and for commands. */
export interface KindReader<Row extends Entity> {
  /** The kind's name in the contract: `server`. */
  kind: string
  /** The cloud service that the kind belongs to. */
  service: Service
  /** Name of the kind's list in responses: `servers`. */
  list: string
  /** Reads all rows, page by page. */
  all(reading: Reading, signal?: AbortSignal): AsyncIterable<Row[]>
  /** Reads the rows with these IDs; null for those that no longer exist. */
  some(reading: Reading, ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Row | null>>
  /**
   * Returns the IDs of the rows changed since then, including deleted ones. Undefined if the cloud cannot list changes;
   * all rows are then read again.
   */
  changedSince?(reading: Reading, since: Date, signal?: AbortSignal): Promise<string[]>
  /**
   * Returns the rows of other kinds that include data from this row, but get no notification when it changes. `id`
   * null: all rows of the kind.
   */
  shownBy?(row: Row): { kind: string; id: string | null }[]
  /**
   * Returns the data that these rows include; by default, the row's name. If set, the rows also depend on whether this
   * row exists.
   */
  shownAs?(row: Row): unknown
  /** The cloud sends no notifications about this kind, so all rows are polled. */
  isNeverAnnounced?: true
  /** Whether the row is changing state and should be read again soon. */
  isBusy(row: Row): boolean
}
