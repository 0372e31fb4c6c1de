import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { Panel } from '../../../ui/Panel'
import { LoadBar } from '../nodes/LoadBar'
import { memoryShare, readAtOf } from '../nodes/node-load'
import { NodeStatusBadge } from '../nodes/NodeStatusBadge'
import { nodePaths } from '../nodes/paths'
import { healthOf } from './node-health'

/** Number of nodes that are shown. */
const MOST = 8

const weights = { bad: 0, warn: 1, ok: 2 } as const

/** The nodes with their load. If there are many, shows those that need attention first. */
export function NodesPanel({ nodes }: { nodes: readonly Node[] }) {
  const t = useT('nodes')
  const own = useT('infrastructure')
  const shown = nodes.toSorted((a, b) => weights[healthOf(a)] - weights[healthOf(b)]).slice(0, MOST)
  const more = nodes.length - shown.length
  return (
    <Panel
      isFlush
      title={t('title')}
      action={
        <Link to={nodePaths.list()}>
          {more > 0 ? own('overview.moreNodes', { count: more }) : own('overview.allNodes')}
        </Link>
      }
    >
      <SmallTable
        label={t('title')}
        rows={shown}
        keyOf={({ id }) => id}
        empty={t('empty')}
        isStacked
        columns={[
          { id: 'host', label: t('name'), render: ({ id, host }) => <Link to={nodePaths.view(id)}>{host}</Link> },
          { id: 'status', label: t('status'), render: (node) => <NodeStatusBadge node={node} /> },
          {
            id: 'cpu',
            label: t('cpu'),
            render: (node) => <LoadBar share={node.cpu?.usage ?? null} readAt={readAtOf(node)} />,
          },
          {
            id: 'memory',
            label: t('memory'),
            render: (node) => <LoadBar share={memoryShare(node)} readAt={readAtOf(node)} />,
          },
          {
            id: 'disks',
            label: t('disks'),
            render: ({ spaces: { disks, failed_disks: failed } }) =>
              t('disksOf', { count: disks - failed, total: disks }),
          },
        ]}
      />
    </Panel>
  )
}
