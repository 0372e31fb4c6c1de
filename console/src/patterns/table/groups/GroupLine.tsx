import { lazy, Suspense } from 'react'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import { NextIcon } from '../../../ui/icons'
import type { ListFilter } from '../filter-text'
import type { Group } from './grouping'
import type { LinePlace } from '../TableGrid'
import { WholeLine } from '../WholeLine'
import css from '../WholeLine.module.css'

const OwnerName = lazy(() => import('../../owners/OwnerName'))

const ownerOf: Readonly<Record<string, 'project' | 'domain'>> = { project_id: 'project', domain_id: 'domain' }

interface GroupLineProps extends LinePlace {
  filter: ListFilter
  group: Group
  isOpen: boolean
  onTurn: () => void
}

/** A group's heading: its value, row count and expanded state. */
export function GroupLine({ filter, group, isOpen, onTurn, ...place }: GroupLineProps) {
  const t = useT('patterns')
  const format = useFormat()
  const { key, value, label, count } = group
  const owner = ownerOf[filter.name]
  return (
    <WholeLine {...place} id={`group ${key}`} className={css.heading} isExpanded={isOpen} onPress={onTurn}>
      <NextIcon className={classes(css.arrow, isOpen && css.open)} />
      <span className={css.field}>{filter.label}</span>
      <strong className={css.value}>
        {value === null ? (
          t('table.group.noValue')
        ) : owner ? (
          <Suspense fallback={null}>
            <OwnerName of={owner} id={value} />
          </Suspense>
        ) : (
          <bdi>{label ?? value}</bdi>
        )}
      </strong>
      {count !== undefined && (
        <span className={css.count}>
          <bdi>{t('table.count', { count, shown: format.number(count) })}</bdi>
        </span>
      )}
    </WholeLine>
  )
}
