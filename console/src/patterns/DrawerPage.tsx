import { Suspense, type ReactNode } from 'react'
import { problemText } from '../api/problem-text'
import type { View } from '../api/use-view'
import { useFormat } from '../i18n/use-format'
import { useT } from '../i18n/use-t'
import { useDelayed } from '../lib/use-delayed'
import { useAppNavigate } from '../nav/use-app-navigate'
import { Banner } from '../ui/feedback/Banner'
import { Button } from '../ui/Button'
import { Drawer, type DrawerSize } from '../ui/overlays/Drawer'
import { ErrorPanel } from '../ui/feedback/ErrorPanel'
import { Skeleton } from '../ui/feedback/Skeleton'
import { Tabs } from '../ui/Tabs'
import { ActionMenu } from './ActionMenu'
import type { RowAction } from './table/row-action'
import css from './DrawerPage.module.css'

export interface DrawerTab {
  id: string
  label: string
  count?: number | undefined
}

export interface DrawerPageProps<Item> {
  view: View<Item>
  /** Title while loading, such as "SSH key". */
  what: string
  title: (item: Item) => string
  subtitle?: ((item: Item) => ReactNode) | undefined
  actions?: ((item: Item) => RowAction[]) | undefined
  /** Path to open on close: the list, which keeps its filters. */
  closeTo: string
  /** Tabs have their own paths: `to(id)` returns the path of a tab. */
  tabs?: { items: readonly DrawerTab[]; selected: string; to: (id: string) => string } | undefined
  size?: DrawerSize | undefined
  children: (item: Item) => ReactNode
}

/** The details of one object in a drawer over its list. The drawer has its own path. */
export function DrawerPage<Item>(props: DrawerPageProps<Item>) {
  const { view, what, title, subtitle, actions, closeTo, tabs, size, children } = props
  const go = useAppNavigate()
  const t = useT('patterns')
  const { data } = view
  const menu = data === undefined ? undefined : actions?.(data)
  return (
    <Drawer
      isOpen
      title={data === undefined ? what : title(data)}
      subtitle={data !== undefined && subtitle?.(data)}
      onClose={() => go(closeTo, { keepsSearch: true })}
      size={size}
      actions={
        data !== undefined &&
        menu &&
        menu.length > 0 && <ActionMenu label={t('table.actionsOf', { name: title(data) })} items={menu} />
      }
    >
      {tabs && data !== undefined ? (
        <Tabs
          label={what}
          items={tabs.items}
          selected={tabs.selected}
          onChange={(id) => go(tabs.to(id), { keepsSearch: true, replace: true })}
        >
          <Content>{children(data)}</Content>
        </Tabs>
      ) : (
        <ViewContent view={view}>{children}</ViewContent>
      )}
    </Drawer>
  )
}

/** The content of a view, with its loading, error and stale states. */
export function ViewContent<Item>({ view, children }: Pick<DrawerPageProps<Item>, 'view' | 'children'>) {
  const t = useT('patterns')
  const shell = useT('shell')
  const format = useFormat()
  const isLate = useDelayed(view.isLoading)
  if (view.problem)
    return (
      <ErrorPanel
        title={t('view.loadFailed')}
        why={problemText(view.problem, shell)}
        id={view.problem.requestId}
        onRetry={view.problem.kind === 'not-found' ? undefined : view.reload}
      />
    )
  if (view.data === undefined)
    return (
      <div className={css.loading} aria-busy="true">
        {isLate && ['70%', '45%', '60%', '52%'].map((width) => <Skeleton key={width} width={width} />)}
      </div>
    )
  return (
    <>
      {view.staleSince !== undefined && (
        <Banner tone="warn" action={<Button onPress={view.reload}>{t('ui.retry')}</Button>}>
          {t('table.stale', { since: format.dateTime(view.staleSince) })}
        </Banner>
      )}
      <Content>{children(view.data)}</Content>
    </>
  )
}

/** Keeps the surrounding layout and the focus while the content's strings are loading. */
const Content = ({ children }: { children: ReactNode }) => (
  <div className={css.content}>
    <Suspense fallback={null}>{children}</Suspense>
  </div>
)
