import { NodeStatus } from '@mainstay/contract/infrastructure/node-rules'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { Formats } from '../../../i18n/use-format'
import type { Translate } from '../../../i18n/use-t'
import type { Tone } from '../../../ui/tone'

export const nodeStatuses = NodeStatus.options

const tones: Readonly<Record<NodeStatus, Tone>> = {
  healthy: 'ok',
  failed: 'bad',
  unassigned: 'idle',
  in_progress: 'busy',
  installing: 'busy',
  releasing: 'busy',
  recovering: 'busy',
  recovery_failed: 'bad',
  maintenance: 'warn',
  suspending: 'busy',
  resuming: 'busy',
  suspend_incomplete: 'bad',
  resume_incomplete: 'bad',
  offline: 'idle',
}

/** Returns the tone of a node status, which determines its color and icon. */
export const nodeTone = (status: NodeStatus): Tone => tones[status]

/** Returns the display text of a node status. */
export const nodeStatusText = (status: NodeStatus, t: Translate<'nodes'>): string => t(`status.${status}`)

const known = ['management', 'compute', 'storage', 'metadata'] as const
type KnownService = (typeof known)[number]

/** Returns the display name of a service or a systemd unit. */
export const serviceText = (name: string, t: Translate<'nodes'>): string =>
  (known as readonly string[]).includes(name) ? t(`service.${name as KnownService}`) : name

/**
 * Returns details of a status: the failed services, the progress of a recovery, or how long the node has been offline.
 */
export function statusDetail(node: Node, t: Translate<'nodes'>, format: Formats, now: number): string | undefined {
  const { status, services, recovery, seen_at } = node
  if (status === 'offline')
    return seen_at === null ? undefined : format.duration(Math.max(0, now - Date.parse(seen_at)))
  if (status === 'recovering')
    return typeof recovery?.progress === 'number' ? format.percent(recovery.progress, 0) : undefined
  if (status !== 'failed') return undefined
  return format.list(services.filter((it) => it.status === 'failed').map(({ name }) => serviceText(name, t)))
}
