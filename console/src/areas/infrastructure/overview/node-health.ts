import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { nodeTone } from '../nodes/node-status'

/** Returns whether a node works, needs attention, or has failed. A node in the middle of a task works. */
export function healthOf({ status }: Pick<Node, 'status'>): 'ok' | 'warn' | 'bad' {
  if (status === 'offline') return 'bad'
  const tone = nodeTone(status)
  return tone === 'bad' || tone === 'warn' ? tone : 'ok'
}
