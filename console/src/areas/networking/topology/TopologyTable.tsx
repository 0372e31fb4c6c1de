import { useEffect, useRef } from 'react'
import { useT } from '../../../i18n/use-t'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { Mono } from '../../../ui/values/Mono'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { kindKeys, nodeIcons, pageKinds } from './topology-words'
import type { Topology, TopologyNode } from '@mainstay/contract/networking/topology'
import css from './topology.module.css'

interface TopologyTableProps {
  topology: Topology
  /** The search text. */
  search: string
  selected: string | null
  /** Whether a node is selected or belongs to the selected group. */
  isSelected: (id: string) => boolean
}

/** Maximum number of rows shown. The search covers all rows. */
const MOST_ROWS = 300

/** One end of a connection with its icon, as a link if it has a page. */
export function NodeName({ node }: { node: TopologyNode }) {
  const t = useT('networking')
  const NodeIcon = nodeIcons[node.kind]
  const kind = pageKinds[node.kind]
  const to = kind && viewPath(kind, node.id)
  return (
    <span className={css.end}>
      <NodeIcon />
      {to ? <Link to={to}>{node.name}</Link> : <bdi>{node.name || t(kindKeys[node.kind])}</bdi>}
    </span>
  )
}

function Addresses({ of: addresses }: { of: readonly string[] }) {
  if (addresses.length === 0) return '–'
  return (
    <span className={css.lines}>
      {addresses.map((it) => (
        <Mono key={it}>{it}</Mono>
      ))}
    </span>
  )
}

/** Lists all connections in the picture, in the same order and with the same selection. */
export function TopologyTable({ topology, search, selected, isSelected }: TopologyTableProps) {
  const t = useT('networking')
  const place = useRef<HTMLDivElement>(null)
  const byId = new Map(topology.nodes.map((it) => [it.id, it]))
  const wanted = search.trim().toLowerCase()
  const has = (node: TopologyNode) =>
    [node.name, ...node.addresses, ...node.floating_ips].some((it) => it.toLowerCase().includes(wanted))
  const rows = topology.edges.flatMap((edge) => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)]
    return from && to && (wanted === '' || has(from) || has(to)) ? [{ ...edge, fromNode: from, toNode: to }] : []
  })

  useEffect(() => {
    if (selected !== null) place.current?.querySelector('[data-marked]')?.scrollIntoView({ block: 'nearest' })
  }, [selected])

  return (
    <div ref={place} tabIndex={-1} className={css.table} data-topology-table>
      <SmallTable
        label={t('topology.ways')}
        rows={rows.slice(0, MOST_ROWS)}
        keyOf={({ from, to }) => `${from} ${to}`}
        isMarked={({ from, to }) => selected !== null && (isSelected(from) || isSelected(to))}
        empty={wanted === '' ? t('topology.noWays') : t('topology.noneMatches')}
        columns={[
          { id: 'from', label: t('topology.from'), render: ({ fromNode }) => <NodeName node={fromNode} /> },
          { id: 'to', label: t('topology.to'), render: ({ toNode }) => <NodeName node={toNode} /> },
          {
            id: 'addresses',
            label: t('topology.addresses'),
            render: ({ addresses }) => <Addresses of={addresses} />,
          },
          {
            id: 'state',
            label: t('routers.state'),
            render: ({ broken }) =>
              broken === null ? (
                <StatusBadge tone="ok">{t('topology.carries')}</StatusBadge>
              ) : (
                <StatusBadge tone="bad">{broken}</StatusBadge>
              ),
          },
          {
            id: 'floating',
            label: t('floatingIps.title'),
            isWide: true,
            render: ({ fromNode, toNode }) => {
              const floating = [...fromNode.floating_ips, ...toNode.floating_ips]
              return <Addresses of={floating} />
            },
          },
        ]}
      />
      {rows.length > MOST_ROWS && (
        <p className={css.dim}>{t('topology.moreWays', { count: rows.length - MOST_ROWS })}</p>
      )}
    </div>
  )
}
