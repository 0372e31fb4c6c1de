import type { ComponentType } from 'react'
import type { BodyInputOf, Endpoint } from '@mainstay/contract/core/endpoint'
import type { FieldValues } from 'react-hook-form'
import type * as z from 'zod'
import type { Area, Key } from '../../i18n/catalogues'
import type { Translate } from '../../i18n/use-t'
import type { Checked, ItemOf, Named, Resource, ResourceCalls } from '../../nav/resource'
import type { Column } from '../table/columns'
import type { FactsProps } from '../Facts'
import type { ListFilter } from '../table/filter-text'
import type { ActionsOf } from '../table/row-action'
import type { Field } from './fields'

/** A filter of the kind, by its name. Its label is that of the column with the same name unless given. */
export type FilterSetting = string | (Omit<ListFilter, 'label'> & { label?: string })

/** A schema of the contract, so that form and server check the same. It is fetched with the form. */
type LoadSchema<Body, Values extends FieldValues> = () => Promise<z.ZodType<Body, Values>>

/** The same to make one and to change one; `useFields` where they differ from engine to engine. */
type FormFields = { fields: readonly Field[] } | { useFields: () => readonly Field[] }

/** The forms of an ordinary resource; null where a component makes one, or changes one. */
export type ResourceForm<Item extends Named> = FormFields & {
  create?: { schema: LoadSchema<unknown, FieldValues>; start: FieldValues } | null
  update?: {
    schema: LoadSchema<unknown, FieldValues>
    /** What the fields hold at first. */
    start: (item: Item) => FieldValues
    /** Why it cannot be changed here. */
    useBarred?: () => string | undefined
  } | null
}

/** What an ordinary resource shows: its table, the details of one, and the forms that make and change one. */
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
  /** Null where components do both. */
  form?: ResourceForm<Item> | null
}

type Body<Call> = Call extends Endpoint ? BodyInputOf<Call> : never

/** Its forms, by the calls that it has. */
type FormSettings<Calls extends ResourceCalls, Draft extends FieldValues, Change extends FieldValues> = FormFields & {
  create?: { schema: LoadSchema<Body<Calls['create']>, Draft>; start: NoInfer<Draft> } | null
  update?: {
    schema: LoadSchema<Body<Calls['update']>, Change>
    start: (item: ItemOf<Calls>) => NoInfer<Change>
    useBarred?: () => string | undefined
  } | null
}
/** The texts that the forms need besides those that every resource has. */
type FormWord<Calls> =
  | (Calls extends { create: Endpoint } ? 'added' : never)
  | (Calls extends { update: Endpoint } ? 'saved' | 'editTitle' : never)
/** What is made or changed has a form, or says by null that a component does it. */
type Needed<Calls> = Calls extends { create: Endpoint } | { update: Endpoint }
  ? {
      form:
        | ((Calls extends { create: Endpoint } ? { create: object | null } : unknown) &
            (Calls extends { update: Endpoint } ? { update: object | null } : unknown))
        | null
    }
  : unknown

/** Declares the screens of a resource: `export default screens(flavorResource, { columns, filters, facts, form })`. */
export const screens = <
  Calls extends ResourceCalls,
  A extends Area,
  Words extends string,
  Draft extends FieldValues,
  Change extends FieldValues,
>(
  _resource: Resource<Calls, A, Words>,
  settings: Omit<Screens<ItemOf<Calls>>, 'form'> & {
    form?: (FormSettings<Calls, Draft, Change> & Checked<A, Words, FormWord<Calls>>) | null
  } & Needed<Calls>,
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
