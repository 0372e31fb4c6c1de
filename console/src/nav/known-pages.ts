import { withParents } from './parents'
import type { MenuPlace, NestedPlace, PageRoute, TabPlace, TypedList } from './route'

let known: ReadonlySet<string> = new Set()
let pages: readonly PageRoute[] = []
let entries: readonly MenuEntry[] = []

/** A page beside an entry, as a tab. */
export interface MenuTab extends TabPlace {
  /** Its address in the table of routes, without a slash at the start. */
  path: string
  to: string
  needs: PageRoute['needs']
}

/** An entry of the menu: a page with a place in the tree, and the tabs beside it. */
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
  if (lost) throw new Error(`${lost.path} is a tab of ${lost.tabOf}, which is no entry of the menu`)
  return all
}

/** Told by the router when it is made. Throws where a page is a tab of no entry. */
export const setKnownPages = (built: readonly PageRoute[], redirects: readonly { path: string }[] = []) => {
  pages = built
  entries = entriesOf(built)
  known = new Set([...built, ...redirects].map(({ path }) => path))
}

/** Whether this build has the page. What is not built is absent from the landing rules. */
export const isPageKnown = (path: string) => known.has(path.replace(/^\//, ''))

/** Every entry of the menu, in the order of the table of routes, whoever may see it. */
export const menuEntries = (): readonly MenuEntry[] => entries

const isAt = (path: string, place: string) => place === path || place.startsWith(`${path}/`)

/**
 * The entry to which a page of the table of routes belongs, and its tab there: the longest address above it. Undefined for
 * a page that stands beside the menu, as one's own account.
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

/** The address of the page that shows one object of a kind, in any parent; undefined where there is none. */
export function viewPath(kind: string, id: string): string | undefined {
  const page = pages.find(({ shows }) => shows === kind)
  return page && `/${withParents(withoutOptional(page.path)).replace('$id', encodeURIComponent(id))}`
}

/** The place of the list of a kind: its label names the objects. A list without one of its own is told by the entry above it. */
export function listOf(kind: string): NestedPlace | undefined {
  const page = pages.find(({ shows }) => shows === kind)
  const list = page && pages.find(({ path }) => path === page.path.split('/$id')[0])
  if (list?.menu) return list.menu
  const place = page && entryOf(page.path)
  return place && (place.tab ?? place.entry)
}

/** Lists that stand below one object of a resource, by the path of that: `nodes/$node_id/disks`. */
export const listsBelow = (path: string): readonly PageRoute[] =>
  pages.filter((page) => page.path.startsWith(`${path}/`) && /^\$\w+_id\/[^/]+$/.test(page.path.slice(path.length + 1)))

/** Lists that take filters as text, in the order of the table of routes. */
export const typedLists = (): readonly TypedList[] => pages.flatMap(({ typed }) => typed ?? [])

/** Where something can be made, by kind, in the order of the table of routes. What is made in a parent is made on a page of that. */
export const addPages = (): { kind: string; to: string; needs: PageRoute['needs']; title: PageRoute['title'] }[] =>
  pages.flatMap(({ shows, path }) => {
    const add = `${path.split('/$id')[0]}/add`
    const page = shows && !add.includes('$') && pages.find((it) => withoutOptional(it.path) === add)
    return page ? [{ kind: shows, to: `/${add}`, needs: page.needs, title: page.title }] : []
  })
