import { useEffect, useRef, type ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components/Tabs'
import css from './Tabs.module.css'

export interface TabItem<Id extends string = string> {
  id: Id
  label: string
  /** Dimmed beside the label. */
  count?: string | number | undefined
  /** Tabs that are routes: the tab is then a link. */
  href?: string | undefined
}

export interface TabsProps<Id extends string> {
  /** Their name for screen readers. */
  label: string
  items: readonly TabItem<Id>[]
  selected: Id
  onChange?: ((id: Id) => void) | undefined
  /** The panel of the selected tab. */
  children?: ReactNode
}

export function Tabs<Id extends string>({ label, items, selected, onChange, children }: TabsProps<Id>) {
  const list = useRef<HTMLDivElement>(null)
  // on a narrow screen the list scrolls, and a page may be opened at any of its tabs
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [selected])
  return (
    <AriaTabs className={css.tabs ?? ''} selectedKey={selected} onSelectionChange={(key) => onChange?.(key as Id)}>
      <TabList ref={list} className={css.list ?? ''} aria-label={label}>
        {items.map(({ id, label: name, count, href }) => (
          <Tab className={css.tab ?? ''} key={id} id={id} {...(href !== undefined && { href })}>
            {name}
            {count !== undefined && <span className={css.count}>{count}</span>}
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
