import type { Entity } from './records'

/**
 * An item in an engine's feed, which the index follows. `observed_at` is the time at which the underlying read began,
 * in milliseconds since 1970. The index ignores observations that are older than its row.
 */
export type FeedItem =
  | Observation
  /**
   * Starts a full read of a kind, which lasts until `synced`. Rows that it does not report are removed, unless they are
   * newer than `observed_at`.
   */
  | { op: 'resync'; kind: string; observed_at?: number }
  | { op: 'synced'; kind: string }
  /**
   * During a full read: the row exists but could not be read, so the index keeps it. If `id` is null, the row is
   * unknown, so this full read removes no rows of the kind.
   */
  | { op: 'keep'; kind: string; id: string | null }
  /** The current state of the connection to the cloud. Reported on change and every few seconds. */
  | { op: 'health'; health: FeedHealth }

/** A row as it was read, or its removal. */
export type Observation =
  | { op: 'put'; kind: string; entity: Entity; observed_at?: number }
  | { op: 'remove'; kind: string; id: string; observed_at?: number }

/**
 * A row in a cloud that could not be read. `id` is null if the ID could not be read either. `fault` locates the error
 * without revealing data.
 */
export interface UnreadableRow {
  id: string | null
  fault: string
}

/** How up to date the index is with its cloud. */
export interface FeedHealth {
  /** The cloud's services, by purpose: `compute`, `images`, `volumes`, `networks`, `identity`, `notifications`. */
  parts: { name: string; reachable: boolean; message: string | null; since: string }[]
  /** Maximum age of outdated data in the index, in milliseconds; null before the first full read. */
  behind_ms: number | null
  /** `notifications` if the cloud announces changes, `polling` if it must be polled. */
  by: 'notifications' | 'polling'
  /** Rows that could not be read in the last attempt, by kind or list name. */
  unreadable: UnreadableRows[]
}

export interface UnreadableRows {
  kind: string
  count: number
  /** A sample of these rows. */
  rows: UnreadableRow[]
}
