import { useEffect, useId, useLayoutEffect, useRef, useState, type MouseEvent } from 'react'
import { useIsNarrow, useIsWide } from '../../lib/use-media'
import type { MenuGroup } from '../../nav/menu'
import { useSession } from '../../session/session'
import { keepChoices, readChoices, type MenuChoices } from './menu-choices'
import { tabStopOf } from './one-tab-stop'
import { PageColumn } from './PageColumn'
import { Rail } from './Rail'
import { useMenuPlace } from './use-menu-place'
import css from './menu.module.css'

/** The menu in windows of at least 768 px; see NarrowMenu for narrower ones. */
export function SideMenu() {
  const whose = useSession(({ user }) => user?.id ?? '')
  return useIsNarrow() ? null : <TwoLevels key={whose} whose={whose} />
}

/** Hover time in milliseconds before a flyout opens, and delay before it closes after the pointer has left. */
const hoverMs = 150
const leaveMs = 300
/** Minimum distance between the flyout and the window edges, in pixels. */
const edge = 8

interface Flyout {
  id: MenuGroup['id']
  takesFocus: boolean
}

/**
 * A rail of groups and the pages of the current group. The pages are shown in a column, by default in windows of at
 * least 1280 px, or in a flyout over the page.
 */
function TwoLevels({ whose }: { whose: string }) {
  const isWide = useIsWide()
  const { groups, group, entry } = useMenuPlace()
  const [choices, setChoices] = useState(() => readChoices(whose))
  const [flyout, setFlyout] = useState<Flyout>()
  const [top, setTop] = useState<number>()
  // the part that gets the focus after the column is pinned or collapsed
  const focusNext = useRef<'rail' | 'column'>(undefined)
  // pages outside the menu keep the previous column, so that the content does not move
  const [last, setLast] = useState(group?.id)
  if (group && group.id !== last) setLast(group.id)
  const menu = useRef<HTMLDivElement>(null)
  const column = useRef<HTMLElement>(null)
  const floating = useRef<HTMLElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const flyoutId = useId()

  const isPinned = choices.column === undefined ? isWide : choices.column === 'pinned'
  const shown = groups.find(({ id }) => id === (group?.id ?? last))
  const hasColumn = isPinned && shown !== undefined && shown.entries.length > 1
  const open = groups.find(({ id }) => id === flyout?.id)
  const pageOf = ({ id, entries }: MenuGroup) => (entries.find(({ to }) => to === choices.pages[id]) ?? entries[0]!).to
  const linkOf = (id: string) => menu.current?.querySelector<HTMLElement>(`[data-group="${id}"]`)

  const change = (changed: Partial<MenuChoices>) => setChoices({ ...choices, ...changed })
  if (group && entry && choices.pages[group.id] !== entry.to)
    change({ pages: { ...choices.pages, [group.id]: entry.to } })
  useEffect(() => keepChoices(whose, choices), [whose, choices])

  const float = (next: Flyout | undefined) => {
    clearTimeout(timer.current)
    setFlyout(next)
  }
  const floatLater = (next: Flyout | undefined, ms: number) => {
    clearTimeout(timer.current)
    // a flyout opened by keyboard ignores the pointer
    timer.current = setTimeout(() => setFlyout((now) => (now?.takesFocus ? now : next)), ms)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const close = () => {
    float(undefined)
    if (flyout) linkOf(flyout.id)?.focus()
  }
  useLayoutEffect(() => {
    const beside = flyout && linkOf(flyout.id)
    if (!beside || !floating.current) return
    const header = menu.current!.getBoundingClientRect().top
    const lowest = innerHeight - floating.current.offsetHeight - edge
    setTop(Math.max(header + edge, Math.min(beside.getBoundingClientRect().top - edge, lowest)))
    if (flyout.takesFocus) tabStopOf(floating.current)?.focus()
  }, [flyout])
  useEffect(() => {
    if (!flyout) return
    const leave = ({ target }: Event) => {
      if (!menu.current?.contains(target as Node)) setFlyout(undefined)
    }
    addEventListener('pointerdown', leave)
    addEventListener('focusin', leave)
    return () => {
      removeEventListener('pointerdown', leave)
      removeEventListener('focusin', leave)
    }
  }, [flyout])
  useLayoutEffect(() => {
    const next = focusNext.current
    focusNext.current = undefined
    if (next === 'column' && column.current) column.current.querySelector('button')?.focus()
    else if (next) {
      const rail = menu.current!
      const link = rail.querySelector<HTMLElement>('[aria-current]') ?? rail.querySelector<HTMLElement>('[data-group]')
      link?.focus()
    }
  }, [isPinned])

  const floats = ({ entries }: MenuGroup) => !isPinned && entries.length > 1
  const press = (pressed: MenuGroup, event: MouseEvent) => {
    // the browser opens the link in a new tab or window
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    // keyboard activation has detail 0; a second pointer press opens the group’s page
    const isByKey = event.detail === 0
    if (!floats(pressed) || (!isByKey && open?.id === pressed.id)) return float(undefined)
    event.preventDefault()
    float({ id: pressed.id, takesFocus: isByKey })
  }
  const enter = (entered: MenuGroup) => {
    if (hasColumn && entered.id === shown.id) tabStopOf(column.current!)?.focus()
    else if (entered.entries.length > 1) float({ id: entered.id, takesFocus: true })
  }
  const pin = (to: 'pinned' | 'collapsed') => {
    focusNext.current = to === 'pinned' ? 'column' : 'rail'
    change({ column: to })
    float(undefined)
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Escape closes the floating menu, wherever the focus is
    <div
      ref={menu}
      className={css.menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return
        event.stopPropagation()
        close()
      }}
      onPointerLeave={() => floatLater(undefined, leaveMs)}
    >
      <Rail
        groups={groups}
        current={group}
        pageOf={pageOf}
        open={open}
        flyoutId={flyoutId}
        floats={floats}
        onPress={press}
        onEnter={enter}
        onHover={(it) => !isPinned && floatLater(floats(it) ? { id: it.id, takesFocus: false } : undefined, hoverMs)}
      />
      {hasColumn && (
        <PageColumn
          ref={column}
          group={shown}
          current={entry}
          onPin={() => pin('collapsed')}
          onBack={() => linkOf(shown.id)?.focus()}
        />
      )}
      {open && (
        <div className={css.floating} onPointerEnter={() => clearTimeout(timer.current)}>
          <PageColumn
            key={open.id}
            ref={floating}
            id={flyoutId}
            group={open}
            current={entry}
            isFlyout
            top={top}
            onPin={() => pin('pinned')}
            onChoose={close}
            onBack={close}
          />
        </div>
      )}
    </div>
  )
}
