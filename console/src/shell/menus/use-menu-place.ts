import { entryOf, type MenuEntry } from '../../nav/known-pages'
import { useMenu, type MenuGroup } from '../../nav/menu'
import { usePageNow } from '../../nav/page-now'

interface MenuPlaceNow {
  groups: readonly MenuGroup[]
  /** Group and entry of the current page; undefined if the menu has no entry for it. */
  group: MenuGroup | undefined
  entry: MenuEntry | undefined
}

/** The menu, and the group and entry of the current page. */
export function useMenuPlace(): MenuPlaceNow {
  const groups = useMenu()
  const page = usePageNow()
  const entry = page && entryOf(page.path)?.entry
  const group = groups.find(({ entries }) => entries.some(({ path }) => path === entry?.path))
  return { groups, group, entry: group && entry }
}
