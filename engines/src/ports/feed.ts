import type { Entity } from './records'

/** What an engine saw in its cloud. The index follows it. */
export type FeedItem =
  | { op: 'put'; kind: string; entity: Entity }
  | { op: 'remove'; kind: string; id: string }
  /** Everything of this kind is told from here until `synced`; what was not told is gone. */
  | { op: 'resync'; kind: string }
  | { op: 'synced'; kind: string }

/**
 * How an engine's view reaches the index. `record`: the index is its own record and it writes there itself.
 * `feed`: the index is a cache of what a cloud says.
 */
export type EngineView = { kind: 'record' } | { kind: 'feed'; follow(signal: AbortSignal): AsyncIterable<FeedItem> }
