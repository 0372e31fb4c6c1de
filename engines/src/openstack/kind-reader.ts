import type { Entity, Records } from '../ports/records'
import type { UnreadableRow } from '../ports/feed'
import type { Service, ServiceClient } from './client/service-client'
import type { OnUnreadableRow } from './client/rows'
import type { RememberedFlavorIds } from './compute/flavors/flavor-ids'

/** What readers read with: the service account's token, which sees every project. */
export interface Reading {
  caller: ServiceClient
  /** Domain of a project, from memory; the project's own id is answered for one that is gone. */
  domainOf(projectId: string): Promise<string>
  /** Whether there is such a project; the cloud keeps policies that name one that is gone. */
  isProject?(id: string): Promise<boolean>
  /** The index, for readers whose rows also say what other rows do. */
  records?: Records
  /** Ids of flavors that were read before, for readers of servers. */
  flavorIds?: RememberedFlavorIds
  /**
   * Hears of rows that could not be read, by the name of their list (`servers`); they are left out. Without it, one of
   * them fails the whole read.
   */
  unreadable?(list: string, row: UnreadableRow): void
}

/** The same reading, for which a row that cannot be read is one row. */
export function tolerant(reading: Reading, unreadable: NonNullable<Reading['unreadable']>): Reading {
  const { caller } = reading
  const pages: ServiceClient['pages'] = (service, path, key, item, options) =>
    caller.pages(service, path, key, item, { ...options, unreadable: (row) => unreadable(key, row) })
  return { ...reading, caller: { ...caller, pages }, unreadable }
}

/** Who hears of unreadable rows of this list, if anybody. */
export const unreadableIn = ({ unreadable }: Reading, list: string): OnUnreadableRow | undefined =>
  unreadable && ((row) => unreadable(list, row))

/** How rows of one kind are read from the cloud. The feed and the commands read the same way. */
export interface KindReader<Row extends Entity> {
  /** The kind's name in the contract: `server`. */
  kind: string
  /** The service of the cloud that has it. */
  service: Service
  /** Name of its list in the cloud's answers: `servers`. */
  list: string
  /** Everything there is, in pages. */
  all(reading: Reading, signal?: AbortSignal): AsyncIterable<Row[]>
  /** These as they are now, by id; null for what is gone. */
  some(reading: Reading, ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Row | null>>
  /** Ids of what changed since then, gone ones too. Absent where the cloud cannot tell: all of it is read again. */
  changedSince?(reading: Reading, since: Date, signal?: AbortSignal): Promise<string[]>
  /** Rows of other kinds that show something of this one, which nobody announces there; null: all of the kind. */
  shownBy?(row: Row): { kind: string; id: string | null }[]
  /** What they show of it; its name where left out. With this, they also show that there is one. */
  shownAs?(row: Row): unknown
  /** The cloud announces no changes of this kind, though it may those of others: all of it is read again and again. */
  isNeverAnnounced?: true
  /** Whether the row is on its way to another state, so that it is asked for again soon. */
  isBusy(row: Row): boolean
}
