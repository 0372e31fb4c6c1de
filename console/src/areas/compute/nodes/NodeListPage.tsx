import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { ActionMenu } from '../../../patterns/ActionMenu'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { CellNote, SmallTable } from '../../../patterns/table/SmallTable'
import { Amount } from '../../../ui/values/Bytes'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { PlacementNames } from '../placements/PlacementNames'
import css from '../cluster/cluster.module.css'
import { nodePaths } from './node-paths'
import { nodeStatusOf } from './node-words'
import { useNodeActions } from './use-node-actions'
import { useNodes, useReloadAfterNodeTasks } from './use-nodes'

/** `/compute/nodes`: the hosts that run virtual machines, with their total and free capacity. */
export default function NodeListPage() {
  const t = useT('computeCluster')
  const view = useNodes()
  useReloadAfterNodeTasks()
  return (
    <Page title={t('nodes.title')}>
      <ViewContent view={view}>
        {({ data }) => (
          <>
            <NodeTable nodes={data} />
            <Note />
          </>
        )}
      </ViewContent>
    </Page>
  )
}

/** Explains fencing, and also releasing if the engine can release nodes. */
function Note() {
  const t = useT('computeCluster')
  const { data: cluster } = useView(computeCluster.view, {})
  return (
    <p className={css.note}>
      {t('nodes.note')} {cluster?.capabilities.many_nodes && t('nodes.noteRelease')}
    </p>
  )
}

function NodeTable({ nodes }: { nodes: readonly ComputeNode[] }) {
  const t = useT('computeCluster')
  const patterns = useT('patterns')
  const actions = useNodeActions()
  return (
    <SmallTable
      label={t('nodes.title')}
      rows={nodes}
      keyOf={({ id }) => id}
      isStacked
      empty={t('nodes.empty')}
      columns={[
        {
          id: 'host',
          label: t('nodes.host'),
          render: (node) => (
            <>
              <Link to={nodePaths.view(node.id)}>{node.host}</Link>
              <CellNote>{node.roles.map((role) => t(`nodes.role.${role}`)).join(', ')}</CellNote>
            </>
          ),
        },
        { id: 'status', label: t('nodes.status'), render: (node) => <NodeStatus node={node} /> },
        {
          id: 'machines',
          label: t('nodes.machines'),
          isAtEnd: true,
          render: ({ hypervisor: { vms } }) => <Amount of={vms} />,
        },
        { id: 'vcpus', label: t('nodes.vcpus'), isAtEnd: true, render: (node) => <Vcpus of={node} /> },
        { id: 'memory', label: t('nodes.memory'), isAtEnd: true, render: (node) => <Memory of={node} /> },
        {
          id: 'cpu',
          label: t('nodes.cpuModel'),
          isWide: true,
          render: ({ cpu_model }) => <bdi>{cpu_model ?? '–'}</bdi>,
        },
        {
          id: 'placements',
          label: t('nodes.placements'),
          isWide: true,
          render: ({ traits }) => <PlacementNames ids={traits} />,
        },
        {
          id: 'actions',
          isAtEnd: true,
          render: (node) => {
            const items = actions(node)
            return (
              items.length > 0 && <ActionMenu label={patterns('table.actionsOf', { name: node.host })} items={items} />
            )
          },
        },
      ]}
    />
  )
}

/** Shows the status of a node, with the reason if it is fenced. */
export function NodeStatus({ node }: { node: ComputeNode }) {
  const t = useT('computeCluster')
  const { tone, text, detail } = nodeStatusOf(node, t)
  return (
    <StatusBadge tone={tone} detail={detail}>
      {text}
    </StatusBadge>
  )
}

/** Shows the vCPUs allocated to virtual machines, and how many are free. */
export function Vcpus({ of: { statistics } }: { of: ComputeNode }) {
  const t = useT('computeCluster')
  const format = useFormat()
  if (!statistics) return '–'
  const { vcpus, vcpus_free: free } = statistics.compute
  return (
    <Used
      used={t('nodes.used', { used: format.number(vcpus - free), total: format.number(vcpus) })}
      free={t('nodes.free', { free: format.number(free) })}
    />
  )
}

/** Shows the memory allocated to virtual machines, and how much is free. */
export function Memory({ of: { statistics } }: { of: ComputeNode }) {
  const t = useT('computeCluster')
  const format = useFormat()
  if (!statistics) return '–'
  const { vm_mem_reserved: used, vm_mem_capacity: total, vm_mem_free: free } = statistics.compute
  return (
    <Used
      used={t('nodes.used', { used: format.bytes(used), total: format.bytes(total) })}
      free={t('nodes.free', { free: format.bytes(free) })}
    />
  )
}

const Used = ({ used, free }: { used: string; free: string }) => (
  <>
    <bdi>{used}</bdi>
    <br />
    <bdi>{free}</bdi>
  </>
)
