import type { Key } from '../../i18n/catalogues'
import type { MenuPage } from '../../nav/known-pages'
import type { MenuGroupId } from '../../nav/route'

export interface MenuGroup {
  id: MenuGroupId
  label: Key<'shell'>
  entries: readonly MenuPage[]
}
