import { useMemo, useState } from 'react'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { dayAfter, dayAt } from '@mainstay/contract/storage/local-days'
import { backupDays, MOST_PROTECTED_MACHINES } from '@mainstay/contract/storage/backup-days'
import { volumeBackupKind } from '@mainstay/contract/storage/volume-backups'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../../../api/call'
import { compositeOf, viewKey } from '../../../../api/keys'
import { asProblem } from '../../../../api/problem'
import { problemText } from '../../../../api/problem-text'
import { useLanguage } from '../../../../i18n/language'
import { useT } from '../../../../i18n/use-t'
import { useIsNarrow } from '../../../../lib/use-media'
import { useNow } from '../../../../lib/use-now'
import { localZone } from '../../../../lib/zones'
import { Button } from '../../../../ui/Button'
import { Banner } from '../../../../ui/feedback/Banner'
import { EmptyState } from '../../../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { SegmentedControl } from '../../../../ui/SegmentedControl'
import css from './ProtectionGrid.module.css'
import { shortDay } from './month'
import type { PointQuestion } from './point-question'
import { ProtectionGrid } from './ProtectionGrid'
import { StateLegend } from './StateLegend'

const SHOWN_DAYS = 30
/** Days that fit into a narrow window. */
const FEW_DAYS = 7
const AT_ONCE = 50

const madeOf = compositeOf([volumeBackupKind.name, instanceKind.name])

interface MachinesViewProps {
  /** Filters that choose the virtual machines by their recovery points, and the search for virtual machines. */
  question: PointQuestion
  onReset: () => void
}

/** Virtual machines by day: a cell is green if all volumes can be restored to the same moment of that day. */
export default function MachinesView({ question: filters, onReset }: MachinesViewProps) {
  const t = useT('storage')
  const patterns = useT('patterns')
  const shell = useT('shell')
  const { tag } = useLanguage()
  const [zone] = useState(localZone)
  const [sort, setSort] = useState<'trouble' | 'name'>('trouble')
  const isNarrow = useIsNarrow()
  const to = dayAt(useNow(), zone)
  const days = useMemo(
    () => Array.from({ length: SHOWN_DAYS }, (_, index) => dayAfter(to, index - SHOWN_DAYS + 1)),
    [to],
  )
  const shown = isNarrow ? days.slice(-FEW_DAYS) : days

  const question = { ...filters, from: days[0]!, to, zone, sort }
  const isFiltered = Object.keys(filters).length > 0
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: viewKey(madeOf, backupDays.machineDays, {}, question),
    queryFn: ({ pageParam, signal }) =>
      call(backupDays.machineDays, { query: { ...question, limit: AT_ONCE, offset: pageParam } }, { signal }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (pages.length * AT_ONCE < last.total ? pages.length * AT_ONCE : undefined),
    placeholderData: keepPreviousData,
  })
  const machines = useMemo(() => {
    // a virtual machine whose rank changes between two calls is on both pages
    const all = data?.pages.flatMap((page) => page.data) ?? []
    return [...new Map(all.map((machine) => [machine.id, machine])).values()]
  }, [data])
  const total = data?.pages.at(-1)?.total ?? 0
  const problem = error && !data ? asProblem(error) : undefined
  return (
    <>
      <div className={css.bar}>
        <SegmentedControl
          label={t('backups.machines.sort')}
          value={sort}
          onChange={setSort}
          items={[
            { id: 'trouble', label: t('backups.machines.trouble') },
            { id: 'name', label: t('volumes.name') },
          ]}
        />
        <span className={css.period}>
          {t('backups.machines.period', { from: shortDay(shown[0]!, tag), to: shortDay(to, tag) })}
        </span>
      </div>
      <StateLegend />
      {data?.pages[0]?.truncated && (
        <Banner tone="warn">{t('backups.machines.truncated', { count: MOST_PROTECTED_MACHINES })}</Banner>
      )}
      {problem ? (
        <ErrorPanel
          title={patterns('view.loadFailed')}
          why={problemText(problem, shell)}
          id={problem.requestId}
          onRetry={() => void refetch()}
        />
      ) : isPending ? (
        <SkeletonRows rows={8} columns={4} />
      ) : machines.length === 0 ? (
        <EmptyState action={isFiltered && <Button onPress={onReset}>{patterns('table.resetFilters')}</Button>}>
          {t(isFiltered ? 'backups.machines.noneFound' : 'backups.machines.none')}
        </EmptyState>
      ) : (
        <>
          <ProtectionGrid machines={machines} days={shown} zone={zone} />
          <div className={css.foot}>
            <span className={css.dim}>
              {t('backups.machines.shown', { shown: machines.length, count: total })} {t('backups.machines.keys')}{' '}
              {Object.keys(filters).some((name) => name !== 'search') && t('backups.machines.filtered')}
            </span>
            {hasNextPage && (
              <Button isBusy={isFetchingNextPage} onPress={() => void fetchNextPage({ cancelRefetch: false })}>
                {t('backups.machines.more')}
              </Button>
            )}
          </div>
        </>
      )}
    </>
  )
}
