import type { Entity } from '../ports/records'
import type { Caller } from './client/caller'

/** What readers read with: the service account's token, which sees every project. */
export interface Reading {
  caller: Caller
  /** Domain of a project, from memory; the project's own id is answered for one that is gone. */
  domainOf(projectId: string): Promise<string>
}

/** How rows of one kind are read from the cloud. The feed and the commands read the same way. */
export interface KindReader<Row extends Entity> {
  /** The kind's name in the contract: `server`. */
  kind: string
  /** Everything there is, in pages. */
  all(reading: Reading, signal?: AbortSignal): AsyncIterable<Row[]>
  /** These as they are now, by id; null for what is gone. */
  some(reading: Reading, ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Row | null>>
  /** Ids of what changed since then, gone ones too. Absent where the cloud cannot tell: all of it is read again. */
  changedSince?(reading: Reading, since: Date, signal?: AbortSignal): Promise<string[]>
  /** Rows of other kinds that show this one by its name, which nobody announces there. */
  shownBy?(row: Row): { kind: string; id: string }[]
  /** The cloud announces no changes of this kind, though it may those of others: all of it is read again and again. */
  isNeverAnnounced?: true
  /** Whether the row is on its way to another state, so that it is asked for again soon. */
  isBusy(row: Row): boolean
}
