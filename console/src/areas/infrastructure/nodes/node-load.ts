import type { Node } from '@mainstay/contract/infrastructure/nodes'

/** Share of the memory in use; null while unknown. */
export const memoryShare = ({ ram }: Pick<Node, 'ram'>): number | null =>
  ram === null || ram.total === 0 ? null : (ram.total - ram.available) / ram.total

/** When the metrics of an unresponsive node were read; undefined if they are current. */
export const readAtOf = ({ is_online, seen_at }: Pick<Node, 'is_online' | 'seen_at'>): string | null | undefined =>
  is_online ? undefined : seen_at
