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

/** A filter that the kind supports, by name. Its label defaults to that of the column with the same name. */
export type FilterSetting = string | (Omit<ListFilter, 'label'> & { label?: string })

/** Loads a contract schema together with the form, so that form and server apply the same validation. */
type LoadSchema<Body, Values extends FieldValues> = () => Promise<z.ZodType<Body, Values>>

/** Shared by the create and edit forms; `useFields` if they depend on the engine. */
type FormFields = { fields: readonly Field[] } | { useFields: () => readonly Field[] }

/** The forms for a standard resource; null for a form with a custom component. */
export type ResourceForm<Item extends Named> = FormFields & {
  create?: { schema: LoadSchema<unknown, FieldValues>; start: FieldValues } | null
  update?: {
    schema: LoadSchema<unknown, FieldValues>
    /** Initial values for the fields. */
    start: (item: Item) => FieldValues
    /** Why the object cannot be changed here. */
    useBarred?: () => string | undefined
  } | null
}

/** The table, details and forms for a standard resource. */
export interface Screens<Item extends Named> {
  columns: readonly Column<Item>[]
  filters: (t: Translate<Area>) => readonly FilterSetting[]
  /** Actions in addition to edit and delete. */
  useActions?: () => ActionsOf<Item>
  /** Whether objects can be edited here at all, regardless of permissions. */
  useMayEdit?: () => boolean
  /** Side effects of the deletion, shown below the question. */
  deleteNote?: Key
  /** Why an object cannot be deleted now. */
  deleteBarred?: (item: Item, t: Translate<Area>) => string | undefined
  /** Rows in the details; times, project, domain and ID are appended automatically. */
  facts: (item: Item, t: Translate<Area>) => FactsProps['rows']
  /** Content below the rows. */
  Below?: ComponentType<{ item: Item }>
  /** The forms of the resource; null if custom components replace both of them. */
  form?: ResourceForm<Item> | null
}

type Body<Call> = Call extends Endpoint ? BodyInputOf<Call> : never

/** The forms for a resource, depending on its calls. */
type FormSettings<Calls extends ResourceCalls, Draft extends FieldValues, Change extends FieldValues> = FormFields & {
  create?: { schema: LoadSchema<Body<Calls['create']>, Draft>; start: NoInfer<Draft> } | null
  update?: {
    schema: LoadSchema<Body<Calls['update']>, Change>
    start: (item: ItemOf<Calls>) => NoInfer<Change>
    useBarred?: () => string | undefined
  } | null
}
/** Strings that the forms need, in addition to the strings that every resource needs. */
type FormWord<Calls> =
  | (Calls extends { create: Endpoint } ? 'added' : never)
  | (Calls extends { update: Endpoint } ? 'saved' | 'editTitle' : never)
/** Requires a form, or null for a custom component, for each create and update call. */
type Needed<Calls> = Calls extends { create: Endpoint } | { update: Endpoint }
  ? {
      form:
        | ((Calls extends { create: Endpoint } ? { create: object | null } : unknown) &
            (Calls extends { update: Endpoint } ? { update: object | null } : unknown))
        | null
    }
  : unknown

/** Declares a resource's screens: `export default screens(flavorResource, { columns, filters, facts, form })`. */
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

/** A table's filters, with labels. Throws an error for a filter that the kind does not have. */
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
