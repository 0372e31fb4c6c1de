import { useCallback, useRef, type ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components/Tabs'
import css from './Tabs.module.css'

export interface TabItem<Id extends string = string> {
  id: Id
  label: string
  /** Shown dimmed next to the label. */
  count?: string | number | undefined
  /** Makes the tab a link, for tabs that are routes. */
  href?: string | undefined
}

export interface TabsProps<Id extends string> {
  /** Accessible name of the tab list. */
  label: string
  items: readonly TabItem<Id>[]
  selected: Id
  onChange?: ((id: Id) => void) | undefined
  /** Content of the selected tab. */
  children?: ReactNode
}

/**
 * Scrolls the list, and nothing else, so that the tab is visible: a page may open with any tab selected, and on a
 * narrow screen that tab may be out of view.
 */
function reveal(tab: HTMLElement) {
  const list = tab.parentElement!
  const [at, within] = [tab.getBoundingClientRect(), list.getBoundingClientRect()]
  if (at.left < within.left) list.scrollLeft += at.left - within.left
  else if (at.right > within.right) list.scrollLeft += at.right - within.right
}

export function Tabs<Id extends string>({ label, items, selected, onChange, children }: TabsProps<Id>) {
  const current = useRef<HTMLDivElement>(null)
  // the tabs are rendered after the list itself
  const setCurrent = useCallback((tab: HTMLDivElement | null) => {
    current.current = tab
    if (tab) reveal(tab)
  }, [])
  // counts that load later shift the tabs
  const setCount = useCallback((count: HTMLElement | null) => {
    if (count && current.current) reveal(current.current)
  }, [])
  return (
    <AriaTabs className={css.tabs ?? ''} selectedKey={selected} onSelectionChange={(key) => onChange?.(key as Id)}>
      <TabList className={css.list ?? ''} aria-label={label}>
        {items.map(({ id, label: name, count, href }) => (
          <Tab
            className={css.tab ?? ''}
            key={id}
            id={id}
            {...(id === selected && { ref: setCurrent })}
            {...(href !== undefined && { href })}
          >
            {name}
            {count !== undefined && (
              <span ref={setCount} className={css.count}>
                {count}
              </span>
            )}
          </Tab>
        ))}
      </TabList>
      {items.map(({ id }) => (
        <TabPanel className={css.panel ?? ''} key={id} id={id}>
          {id === selected && children}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}
