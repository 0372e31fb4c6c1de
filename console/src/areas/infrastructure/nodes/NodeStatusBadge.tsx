import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useNow } from '../../../lib/use-now'
import { BadIcon, MaintenanceIcon } from '../../../ui/icons'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { nodeStatusText, nodeTone, statusDetail } from './node-status'

const icons = { offline: BadIcon, maintenance: MaintenanceIcon } as Readonly<Record<string, typeof BadIcon | undefined>>

/** Shows the status of a node with its details: failed services, progress, or a time. */
export function NodeStatusBadge({ node }: { node: Node }) {
  const t = useT('nodes')
  const format = useFormat()
  const now = useNow()
  const { status } = node
  return (
    <span data-away={node.is_online ? undefined : true}>
      <StatusBadge tone={nodeTone(status)} icon={icons[status]} detail={statusDetail(node, t, format, now)}>
        {nodeStatusText(status, t)}
      </StatusBadge>
    </span>
  )
}
