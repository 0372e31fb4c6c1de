import { withParents } from './parents'
import type { MenuGroupId, MenuPlace, PageRoute } from './route'

let known: ReadonlySet<string> = new Set()
let pages: readonly PageRoute[] = []

/** Told by the router when it is made. */
export const setKnownPages = (built: readonly PageRoute[], redirects: readonly { path: string }[] = []) => {
  pages = built
  known = new Set([...built, ...redirects].map(({ path }) => path))
}

/** Whether this build has the page. What is not built is absent from the landing rules. */
export const isPageKnown = (path: string) => known.has(path.replace(/^\//, ''))

export interface MenuPage extends MenuPlace {
  to: string
  needs: NonNullable<MenuPlace['needs']>
}

/** The pages of a menu's group, in the order of the table of routes. */
export const menuPages = (group: MenuGroupId): MenuPage[] =>
  pages.flatMap(({ path, needs, menu }) =>
    menu && (menu.group === group || menu.alsoIn === group) ? { needs, ...menu, to: `/${withParents(path)}` } : [],
  )

const withoutOptional = (path: string) => path.replace(/\/\{-\$\w+\}$/, '')

/** The address of the page that shows one object of a kind, in any parent; undefined where there is none. */
export function viewPath(kind: string, id: string): string | undefined {
  const page = pages.find(({ shows }) => shows === kind)
  return page && `/${withParents(withoutOptional(page.path)).replace('$id', encodeURIComponent(id))}`
}

/** Lists that stand below one object of a resource, by the path of that: `nodes/$node_id/disks`. */
export const listsBelow = (path: string): readonly PageRoute[] =>
  pages.filter((page) => page.path.startsWith(`${path}/`) && /^\$\w+_id\/[^/]+$/.test(page.path.slice(path.length + 1)))

/** Where something can be made, by kind, in the order of the table of routes. What is made in a parent is made on a page of that. */
export const addPages = (): { kind: string; to: string; needs: PageRoute['needs'] }[] =>
  pages.flatMap(({ shows, path }) => {
    const add = `${path.split('/$id')[0]}/add`
    const page = shows && !add.includes('$') && pages.find((it) => withoutOptional(it.path) === add)
    return page ? [{ kind: shows, to: `/${add}`, needs: page.needs }] : []
  })
