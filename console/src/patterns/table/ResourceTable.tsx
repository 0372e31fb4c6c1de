import { lazy, Suspense, useState, type ReactNode } from 'react'
import { facets } from '@mainstay/contract/core/lists/facets'
import type { List, Row } from '../../api/use-list'
import { problemText } from '../../api/problem-text'
import { refresh } from '../../api/use-call'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { useDelayed } from '../../lib/use-delayed'
import { useIsAllTenants } from '../../session/session'
import { Banner } from '../../ui/feedback/Banner'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../ui/feedback/Skeleton'
import type { BulkAction } from '../bulk-run/bulk'
import type { BulkDialog as BulkDialogType } from '../bulk-run/BulkDialog'
import type { Column } from './columns'
import { withDomains, type ListFilter } from './filter-text'
import type GroupedGridType from './groups/GroupedGrid'
import { groupable } from './groups/grouping'
import { useKeptColumns } from './kept-columns'
import type { ActionsOf } from './row-action'
import { useSelection } from './selection'
import { TableBar } from './TableBar'
import { TableGrid } from './TableGrid'
import css from './ResourceTable.module.css'

const NothingMatches = lazy(() => import('./NothingMatches'))
// `lazy` loses the type parameter of the component, so it is restored with a cast
const BulkDialog = lazy(() =>
  import('../bulk-run/BulkDialog').then(({ BulkDialog: component }) => ({ default: component })),
) as unknown as typeof BulkDialogType
const GroupedGrid = lazy(() => import('./groups/GroupedGrid')) as unknown as typeof GroupedGridType

export interface ResourceTableProps<Item extends Row> {
  list: List<Item>
  columns: readonly Column<Item>[]
  /** Accessible name of the table and of its search box. */
  label: string
  /** Actions of a row. */
  actions?: ActionsOf<Item> | undefined
  bulk?: readonly BulkAction<Item>[] | undefined
  filters?: readonly ListFilter[] | undefined
  /** Text of the empty state: "No SSH keys yet." */
  empty: string
  /** Shown below that text: the primary button. */
  emptyAction?: ReactNode
  /** Whether the table offers an export. False for pages that have their own. */
  isExported?: boolean | undefined
  /** Omits search, filters and the choice of columns, for a short list inside a page. */
  isShort?: boolean | undefined
  /** The table is as high as its rows, for a short list above other content. */
  isFitting?: boolean | undefined
}

/** The table for a list, with everything that 00-overview section 8 requires. */
export function ResourceTable<Item extends Row>(props: ResourceTableProps<Item>) {
  const { columns, label, actions, bulk = [], empty, emptyAction, isExported, isShort = false, isFitting } = props
  const [grouped, setGrouped] = useState<readonly Item[]>([])
  const isAllTenants = useIsAllTenants()
  const t = useT('patterns')
  const given = props.filters ?? []
  const filters = isAllTenants ? withDomains(given, props.list.kind, t('table.domain')) : given
  const fields = groupable(props.list, filters)
  const groupedBy = fields.find(({ name }) => name === props.list.groupBy)
  const list = groupedBy ? { ...props.list, reload: () => reloadGroups(props.list) } : props.list
  const selection = useSelection(groupedBy ? { ...list, rows: grouped } : list)
  const [chosen, choose] = useKeptColumns(list.kind.name)
  const [running, setRunning] = useState<{ action: BulkAction<Item>; items: Item[] } | undefined>()
  const isLate = useDelayed(list.isLoading)

  const offered = columns.filter((column) => isAllTenants || !column.isForAllTenants)
  const own = isShort ? null : chosen
  const shown = offered.filter(({ id, isHidden }, index) => index === 0 || (own ? own.includes(id) : !isHidden))

  const startBulk = async (action: BulkAction<Item>) => setRunning({ action, items: await selection.resolve() })
  const grid = { list, label, columns: shown, actions, isFitting, selection: bulk.length > 0 ? selection : undefined }
  const isEmpty = !list.isLoading && !list.problem && list.rows.length === 0

  return (
    <section className={css.table} aria-label={label}>
      {(!isShort || list.rows.length > 0) && (
        <TableBar
          list={list}
          label={label}
          filters={filters}
          columns={offered}
          shown={shown.map(({ id }) => id)}
          onColumns={choose}
          isOwnColumns={chosen === null}
          selection={selection}
          bulk={bulk}
          onBulk={(action) => void startBulk(action)}
          isExported={isExported}
          isShort={isShort}
          groupFields={fields}
        />
      )}
      {list.staleSince !== undefined && <Stale list={list} />}
      {list.problem ? (
        <LoadProblem list={list} />
      ) : list.isLoading ? (
        <div className={css.loading}>
          {isLate && <SkeletonRows rows={12} columns={shown.length} template={templateOf(shown)} />}
        </div>
      ) : isEmpty ? (
        <div className={css.body}>
          {list.isFiltered ? (
            <Suspense fallback={null}>
              <NothingMatches list={list} filters={filters} />
            </Suspense>
          ) : (
            <EmptyState action={emptyAction}>{empty}</EmptyState>
          )}
        </div>
      ) : list.source && groupedBy ? (
        <Suspense fallback={null}>
          <GroupedGrid<Item>
            {...grid}
            key={groupedBy.name}
            list={{ ...list, source: list.source }}
            filter={groupedBy}
            onRows={setGrouped}
          />
        </Suspense>
      ) : (
        <TableGrid {...grid} />
      )}
      {running && (
        <Suspense fallback={null}>
          <BulkDialog<Item>
            kind={list.kind.name}
            // use the latest version of the action, because its strings may depend on data that has been loaded since
            action={bulk.find(({ label: name }) => name === running.action.label) ?? running.action}
            items={running.items}
            onClose={(isDone) => {
              setRunning(undefined)
              if (isDone) {
                selection.clear()
                list.reload()
              }
            }}
          />
        </Suspense>
      )}
    </section>
  )
}

/** Column widths for the skeleton, matching the columns of the table. */
const templateOf = (columns: readonly { width: number }[]) =>
  columns.map(({ width }) => `minmax(0, ${width}fr)`).join(' ')

/** Groups are lists from the same endpoint, so they are also reloaded. */
const reloadGroups = ({ source }: List) => void refresh([...(source ? [source.endpoint] : []), facets.values])

function Stale({ list }: { list: List }) {
  const t = useT('patterns')
  const format = useFormat()
  return (
    <Banner tone="warn" action={<Button onPress={list.reload}>{t('ui.retry')}</Button>}>
      {t('table.stale', { since: format.dateTime(list.staleSince ?? 0) })}
    </Banner>
  )
}

function LoadProblem({ list }: { list: List }) {
  const t = useT('patterns')
  const shell = useT('shell')
  const { problem, reload } = list
  if (!problem) return null
  return (
    <div className={css.body}>
      <ErrorPanel
        title={t('table.loadFailed')}
        why={problemText(problem, shell)}
        id={problem.requestId}
        onRetry={reload}
        actions={list.isFiltered && <Button onPress={list.reset}>{t('table.resetFilters')}</Button>}
      />
    </div>
  )
}
