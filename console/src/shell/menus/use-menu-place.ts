import { entryOf, type MenuEntry } from '../../nav/known-pages'
import { useMenu, type MenuGroup } from '../../nav/menu'
import { usePageNow } from '../../nav/page-now'

interface MenuPlaceNow {
  groups: readonly MenuGroup[]
  /** The group and the entry of the page that is open; undefined where the menu has none for it. */
  group: MenuGroup | undefined
  entry: MenuEntry | undefined
}

/** The tree of the menu, and where in it the person is. */
export function useMenuPlace(): MenuPlaceNow {
  const groups = useMenu()
  const page = usePageNow()
  const entry = page && entryOf(page.path)?.entry
  const group = groups.find(({ entries }) => entries.some(({ path }) => path === entry?.path))
  return { groups, group, entry: group && entry }
}
