import type { ComponentType } from 'react'
import type { Area, Key } from '../../i18n/catalogues'
import type { Translate } from '../../i18n/use-t'
import type { ItemOf, Named, Resource, ResourceCalls } from '../../nav/resource'
import type { Column } from '../table/columns'
import type { FactsProps } from '../Facts'
import type { ListFilter } from '../table/filter-text'
import type { ActionsOf } from '../table/row-action'

/** A filter of the kind, by its name. Its label is that of the column with the same name unless given. */
export type FilterSetting = string | (Omit<ListFilter, 'label'> & { label?: string })

/** What an ordinary resource shows: its table, and the details of one. */
export interface Screens<Item extends Named> {
  columns: readonly Column<Item>[]
  filters: (t: Translate<Area>) => readonly FilterSetting[]
  /** What can be done besides editing and deleting. */
  useActions?: () => ActionsOf<Item>
  /** Whether it can be edited here at all, where that is not a matter of rights. */
  useMayEdit?: () => boolean
  /** What deleting one leaves behind, said under the question. */
  deleteNote?: Key
  /** Why one cannot be deleted now. */
  deleteBarred?: (item: Item, t: Translate<Area>) => string | undefined
  /** Rows of the details; times, project, domain and id follow by themselves. */
  facts: (item: Item, t: Translate<Area>) => FactsProps['rows']
  /** Under the rows. */
  Below?: ComponentType<{ item: Item }>
}

/** Declares the screens of a resource: `export default screens(sshKeyResource, { columns, filters, facts })`. */
export const screens = <Calls extends ResourceCalls>(
  _resource: Resource<Calls>,
  settings: Screens<ItemOf<Calls>>,
): Screens<ItemOf<Calls>> => settings

/** The filters of a table, whole. One that the kind does not have is refused by its name. */
export function tableFilters<Item extends Named>(
  { kind }: Resource,
  { columns, filters }: Pick<Screens<Item>, 'columns' | 'filters'>,
  t: Translate<Area>,
): ListFilter[] {
  return filters(t).map((setting) => {
    const filter = typeof setting === 'string' ? { name: setting } : setting
    if (!(filter.name in kind.filters)) throw new Error(`The kind ${kind.name} has no filter ${filter.name}`)
    const column = columns.find(({ id }) => id === filter.name)
    return { ...filter, label: filter.label ?? (column ? t(column.label) : filter.name) }
  })
}
