import { computeNodeStatus, type ComputeNodeStatus } from '@mainstay/contract/compute/node-rules'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import type { Translate } from '../../../i18n/use-t'
import type { Status } from '../../../patterns/table/columns'
import type { Tone } from '../../../ui/tone'

const tones: Readonly<Record<ComputeNodeStatus, Tone>> = {
  up: 'ok',
  offline: 'idle',
  joining: 'busy',
  releasing: 'busy',
  released: 'idle',
  recovering: 'busy',
  recovery_failed: 'bad',
  maintenance: 'warn',
  fenced: 'bad',
}

/** The displayed status of a node, with the reason if it is fenced. */
export function nodeStatusOf(node: ComputeNode, t: Translate<'computeCluster'>): Status {
  const status = computeNodeStatus(node)
  const text = t(`nodes.${status}`)
  return { tone: tones[status], text, ...(node.fenced_reason !== null && { detail: node.fenced_reason }) }
}
