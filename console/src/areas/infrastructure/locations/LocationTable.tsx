import type { CSSProperties } from 'react'
import type { ImpactRow } from '@mainstay/contract/infrastructure/impact'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { LazyMenu } from '../../../patterns/lazy-overlays'
import { SmallTable, type SmallColumn } from '../../../patterns/table/SmallTable'
import type { RowAction } from '../../../patterns/table/row-action'
import { IconButton } from '../../../ui/IconButton'
import { ExpandIcon, MoreIcon, NextIcon } from '../../../ui/icons'
import { Badge } from '../../../ui/values/Badge'
import { Bytes } from '../../../ui/values/Bytes'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { summaryOf } from '../impact/impact-words'
import { nodePaths } from '../nodes/paths'
import css from './locations.module.css'
import { sumsOf, type LocationRow } from './location-tree'

interface LocationTableProps {
  rows: readonly LocationRow[]
  closed: ReadonlySet<string>
  onToggle: (id: string) => void
  impactOf: (row: LocationRow) => ImpactRow | undefined
  actionsOf: (row: LocationRow) => RowAction[]
  isMarked: (row: LocationRow) => boolean
}

/** Table of rooms, rows, racks and nodes, with totals for each. */
export function LocationTable({ rows, closed, onToggle, impactOf, actionsOf, isMarked }: LocationTableProps) {
  const t = useT('infrastructure')
  const format = useFormat()
  const columns: readonly SmallColumn<LocationRow>[] = [
    {
      id: 'location',
      label: t('locations.one'),
      render: ({ id, kind, name, depth, location, isEmpty }) => (
        <span className={css.cell} style={{ '--depth': depth } as CSSProperties}>
          {isEmpty ? (
            <span className={css.blank} />
          ) : (
            <IconButton
              icon={closed.has(id) ? NextIcon : ExpandIcon}
              label={t(closed.has(id) ? 'locations.open' : 'locations.close', { name })}
              size="small"
              aria-expanded={!closed.has(id)}
              onPress={() => onToggle(id)}
            />
          )}
          <span className={css.words}>
            {kind === 'node' ? (
              <Link className={css.name} to={nodePaths.view(id)} dir="auto">
                {name}
              </Link>
            ) : (
              <bdi className={css.name}>{name}</bdi>
            )}{' '}
            <span className={css.level}>{t(`locations.level.${kind}`)}</span>
          </span>
          {location?.is_default && <Badge>{t('locations.default')}</Badge>}
        </span>
      ),
    },
    {
      id: 'nodes',
      label: t('locations.nodes'),
      render: ({ kind, nodes }) => {
        const count = nodes.length
        const { online } = sumsOf(nodes)
        if (count === 0) return <span className={css.level}>{t('locations.nodes.none')}</span>
        const tone = online === count ? 'ok' : 'bad'
        if (kind !== 'node')
          return <StatusBadge tone={tone}>{t('locations.nodes.online', { online, count })}</StatusBadge>
        return (
          <StatusBadge tone={tone}>{t(online === 1 ? 'locations.node.online' : 'locations.node.offline')}</StatusBadge>
        )
      },
    },
    {
      id: 'impact',
      label: t('locations.ifItFails'),
      render: (row) => {
        const found = impactOf(row)
        if (!found) return '–'
        const { tone, text } = summaryOf(found, t, format.list)
        return (
          <StatusBadge tone={tone} isSentence>
            {text}
          </StatusBadge>
        )
      },
    },
    {
      id: 'memory',
      label: t('locations.memory'),
      isAtEnd: true,
      isWide: true,
      render: ({ nodes }) => {
        const { memory } = sumsOf(nodes)
        return memory === null ? '–' : <Bytes of={memory} />
      },
    },
    {
      id: 'disks',
      label: t('locations.disks'),
      isAtEnd: true,
      isWide: true,
      render: ({ nodes }) => format.number(sumsOf(nodes).disks),
    },
    {
      id: 'actions',
      isAtEnd: true,
      render: (row) => {
        const items = actionsOf(row)
        const label = t('locations.actions', { name: row.name })
        return (
          items.length > 0 && (
            <LazyMenu label={label} items={items} trigger={<IconButton icon={MoreIcon} label={label} size="small" />} />
          )
        )
      },
    },
  ]
  return (
    <SmallTable
      label={t('locations.tree')}
      rows={rows}
      keyOf={({ id }) => id}
      columns={columns}
      isMarked={isMarked}
      isStacked
    />
  )
}
