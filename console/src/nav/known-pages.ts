import { withParents } from './parents'
import type { MenuPlace, NestedPlace, PageRoute, TabPlace, TypedList } from './route'

let known: ReadonlySet<string> = new Set()
let pages: readonly PageRoute[] = []
let entries: readonly MenuEntry[] = []

/** A page shown as a tab of a menu entry. */
export interface MenuTab extends TabPlace {
  /** Path in the route table, without a leading slash. */
  path: string
  to: string
  needs: PageRoute['needs']
}

/** A menu entry: a page with a place in the menu tree, and its tabs. */
export interface MenuEntry extends MenuPlace {
  path: string
  to: string
  needs: PageRoute['needs']
  tabs: readonly MenuTab[]
}

function entriesOf(built: readonly PageRoute[]): MenuEntry[] {
  const tabs = built.flatMap(({ path, needs, menu }): MenuTab[] =>
    menu && 'tabOf' in menu ? [{ ...menu, path, to: `/${path}`, needs }] : [],
  )
  const all = built.flatMap(({ path, needs, menu }): MenuEntry[] =>
    menu && 'in' in menu
      ? [{ needs, ...menu, path, to: `/${path}`, tabs: tabs.filter(({ tabOf }) => tabOf === path) }]
      : [],
  )
  const lost = tabs.find(({ tabOf }) => all.every(({ path }) => path !== tabOf))
  if (lost) throw new Error(`${lost.path} is a tab of ${lost.tabOf}, which is not a menu entry`)
  return all
}

/** Called by the router when it is built. Throws if a page is a tab of an unknown entry. */
export const setKnownPages = (built: readonly PageRoute[], redirects: readonly { path: string }[] = []) => {
  pages = built
  entries = entriesOf(built)
  known = new Set([...built, ...redirects].map(({ path }) => path))
}

/** Whether this build includes the page; the landing rules skip missing pages. */
export const isPageKnown = (path: string) => known.has(path.replace(/^\//, ''))

/** Every menu entry in route order, regardless of permissions. */
export const menuEntries = (): readonly MenuEntry[] => entries

const isAt = (path: string, place: string) => place === path || place.startsWith(`${path}/`)

/**
 * The menu entry and tab that a page belongs to: those with the longest matching path. Undefined for pages outside the
 * menu, such as the user's own account.
 */
export function entryOf(path: string): { entry: MenuEntry; tab: MenuTab | undefined } | undefined {
  const places = entries.flatMap((entry) => [
    { at: entry.path, entry, tab: undefined },
    ...entry.tabs.map((tab) => ({ at: tab.path, entry, tab })),
  ])
  const above = places.filter(({ at }) => isAt(at, path))
  return above.toSorted((a, b) => b.at.length - a.at.length)[0]
}

const withoutOptional = (path: string) => path.replace(/\/\{-\$\w+\}$/, '')

/** Path of the page that shows an object of this kind, under any parent; undefined if the kind has no such page. */
export function viewPath(kind: string, id: string): string | undefined {
  const page = pages.find(({ shows }) => shows === kind)
  return page && `/${withParents(withoutOptional(page.path)).replace('$id', encodeURIComponent(id))}`
}

/** Menu place of a kind's list; its label names the objects. A list without a place uses the entry above it. */
export function listOf(kind: string): NestedPlace | undefined {
  const page = pages.find(({ shows }) => shows === kind)
  const list = page && pages.find(({ path }) => path === page.path.split('/$id')[0])
  if (list?.menu) return list.menu
  const place = page && entryOf(page.path)
  return place && (place.tab ?? place.entry)
}

/** Lists nested under an object of the resource with this path: `nodes/$node_id/disks`. */
export const listsBelow = (path: string): readonly PageRoute[] =>
  pages.filter((page) => page.path.startsWith(`${path}/`) && /^\$\w+_id\/[^/]+$/.test(page.path.slice(path.length + 1)))

/** Lists that accept typed filters, in route order. */
export const typedLists = (): readonly TypedList[] => pages.flatMap(({ typed }) => typed ?? [])

/** Create pages by kind, in route order. Nested objects are left out, because they are created under their parent. */
export const addPages = (): { kind: string; to: string; needs: PageRoute['needs']; title: PageRoute['title'] }[] =>
  pages.flatMap(({ shows, path }) => {
    const add = `${path.split('/$id')[0]}/add`
    const page = shows && !add.includes('$') && pages.find((it) => withoutOptional(it.path) === add)
    return page ? [{ kind: shows, to: `/${add}`, needs: page.needs, title: page.title }] : []
  })
