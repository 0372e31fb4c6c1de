import type { Entity, Records } from '../ports/records'
import type { UnreadableRow } from '../ports/feed'
import type { Service, ServiceClient } from './client/service-client'
import type { OnUnreadableRow } from './client/rows'
import type { RememberedFlavorIds } from './compute/flavors/flavor-ids'

/** Dependencies of readers. `caller` uses the service account's token, which sees every project. */
export interface Reading {
  caller: ServiceClient
  /** Domain of a project, cached; for a deleted project, its own ID. */
  domainOf(projectId: string): Promise<string>
  /** Whether the project exists. Neutron keeps policies for deleted projects. */
  isProject?(id: string): Promise<boolean>
  /** The index, for readers whose rows depend on other rows. */
  records?: Records
  /** Cached IDs of flavors, for readers of servers. */
  flavorIds?: RememberedFlavorIds
  /**
   * Receives rows that cannot be read, by the name of their list (`servers`); the rows are left out. Without it, such a
   * row fails the whole read.
   */
  unreadable?(list: string, row: UnreadableRow): void
}

/** The same reading, which skips unreadable rows and reports them to `unreadable`. */
export function tolerant(reading: Reading, unreadable: NonNullable<Reading['unreadable']>): Reading {
  const { caller } = reading
  const pages: ServiceClient['pages'] = (service, path, key, item, options) =>
    caller.pages(service, path, key, item, { ...options, unreadable: (row) => unreadable(key, row) })
  return { ...reading, caller: { ...caller, pages }, unreadable }
}

/** Reports unreadable rows of this list; undefined if the reading does not skip them. */
export const unreadableIn = ({ unreadable }: Reading, list: string): OnUnreadableRow | undefined =>
  unreadable && ((row) => unreadable(list, row))

/** Reads rows of one kind from the cloud, for the feed and for commands. */
export interface KindReader<Row extends Entity> {
  /** The kind's name in the contract: `server`. */
  kind: string
  /** The service of the cloud that the kind belongs to. */
  service: Service
  /** Name of its list in responses: `servers`. */
  list: string
  /** All rows, in pages. */
  all(reading: Reading, signal?: AbortSignal): AsyncIterable<Row[]>
  /** The rows with these IDs; null for those that are gone. */
  some(reading: Reading, ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Row | null>>
  /**
   * IDs of rows changed since then, including deleted ones. Absent if the cloud has no such list; then all rows are
   * read again.
   */
  changedSince?(reading: Reading, since: Date, signal?: AbortSignal): Promise<string[]>
  /** Rows of other kinds that show this one but are not announced when it changes; `id` null: all of the kind. */
  shownBy?(row: Row): { kind: string; id: string | null }[]
  /** The value that they show; the row's name by default. If defined, they also show whether the row exists. */
  shownAs?(row: Row): unknown
  /** The cloud sends no notifications about this kind, so all rows are polled. */
  isNeverAnnounced?: true
  /** Whether the row is changing state, so that it is soon read again. */
  isBusy(row: Row): boolean
}
