import type { Entity } from './records'

/**
 * One item of an engine's feed, which the index follows. `observed_at` is when the read behind it began, in milliseconds since
 * 1970. The index does not write an observation that is older than what it knows of the row.
 */
export type FeedItem =
  | Observation
  /** A full read of this kind lasts until `synced`. Rows that it does not report are gone, unless they are newer than `observed_at`. */
  | { op: 'resync'; kind: string; observed_at?: number }
  | { op: 'synced'; kind: string }
  /**
   * Within a full read: the row is there and could not be read, so what is known of it stays. Null: nobody knows which
   * row that is, and nothing of its kind is removed by this full read.
   */
  | { op: 'keep'; kind: string; id: string | null }
  /** How the engine's cloud is reached now. Reported when it changes, and every few seconds. */
  | { op: 'health'; health: FeedHealth }

/** A row as it was read, or the fact that it is gone. */
export type Observation =
  | { op: 'put'; kind: string; entity: Entity; observed_at?: number }
  | { op: 'remove'; kind: string; id: string; observed_at?: number }

/** A row of a cloud that could not be read; `id` is null where not even that could. `fault` says where, without content. */
export interface UnreadableRow {
  id: string | null
  fault: string
}

/** How closely the view follows its cloud. */
export interface FeedHealth {
  /** Parts of the cloud, by what they are for: `compute`, `images`, `volumes`, `networks`, `identity`, `notifications`. */
  parts: { name: string; reachable: boolean; message: string | null; since: string }[]
  /** How old the oldest thing is that the index may still show, milliseconds; null before the first full read. */
  behind_ms: number | null
  /** `notifications` where the cloud announces changes, `polling` where it has to be asked. */
  by: 'notifications' | 'polling'
  /** Rows that could not be read when they were read last, by their kind or by the name of their list. */
  unreadable: UnreadableRows[]
}

export interface UnreadableRows {
  kind: string
  count: number
  /** Some of them. */
  rows: UnreadableRow[]
}
