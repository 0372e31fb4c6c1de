import type * as z from 'zod'
import type { ResourceName } from '../permissions'
import { fieldsOf, type AnyPath, type FieldAt, type FieldSpec, type NamesOf, type PathOf } from './fields'

/**
 * Who sees a row, besides those with whom it is shared. `system`: nobody but a system scope (nodes). `project`: those
 * whose scope is its project. `owner`: one user within one project, or within all of theirs where the row names none (SSH
 * keys). `domain`: those of its domain. `administered`: those who act in its domain without a project, which only its
 * administrators do, and those whose scope is its project (users, projects). `global`: everybody signed in. A system scope
 * sees all rows of all of them.
 */
export type Visibility = 'system' | 'project' | 'owner' | 'domain' | 'administered' | 'global'

/** Fields that say whose a row is. */
export type OwnerField = 'project_id' | 'domain_id'

/** The kind of the things that rows of another kind are in, and the field of a row that holds the ID of its parent. */
interface Parent {
  kind: Kind
  field: string
  /** Whoever removes the record of a parent removes these as well: nothing but the record has to be cleared away of them. */
  goesAlong?: true
}

/** A resource kind as data. Generic machinery lists, finds, pages, filters, searches, guards and announces it. */
export interface Kind<
  Entity extends z.ZodObject = z.ZodObject,
  Filter extends string = string,
  SortKey extends string = string,
  Name extends string = string,
> {
  /** Name in the index, in events and in the audit log. */
  name: Name
  entity: Entity
  visibility: Visibility
  /** Each row is in one row of this kind: a disk in a node. The path of its calls has a parameter with the name of the field. */
  parent?: Parent
  /** Other rows name those of this kind as their owner by this field; such a row is its own. */
  owns?: OwnerField
  /** A row is seen by everybody signed in when this field has this value (public images). */
  shared?: { path: string; equals: string | boolean }
  /** Where its access policies are (`AccessPolicy[]`): a row is seen by those to whom one of them gives one of these actions. */
  policies?: { path: string; actions: readonly string[] }
  /** The name of the column that holds a row's status, if it has one. */
  status?: string
  /** Another field by which clients name one row in a path, where it is no id. */
  alias?: Filter
  /** Whether a name is taken once: by one row of whoever sees them all, or of an owner. */
  hasUniqueName: boolean
  filters: Record<Filter, FieldAt>
  sortKeys: Record<SortKey, FieldAt>
  defaultSort: `${string}:${'asc' | 'desc'}`
  /** Paths of the texts that `search` looks into. */
  search: readonly string[]
  /** Paths of numbers that are summed up, for quotas and capacities, and neither filtered nor sorted by. */
  sums: readonly string[]
  /** Paths left out of answers to everybody but a system scope (host names, I9). */
  systemOnly: readonly string[]
  /**
   * Figures that only the index needs, kept beside the entity and never answered. Count `version` up whenever `from`,
   * or what it calls, answers something else for the same entity: the index is then made anew.
   */
  derive?: { version: number; from(entity: z.output<Entity>): Record<string, unknown> }
  /** Rights for the list and for one row. */
  permissions: { collection: ResourceName; item: ResourceName }
}

/** A kind as it is declared: by names of fields of its entity. */
interface KindDeclaration<
  Entity extends z.ZodObject,
  Filters extends readonly FieldSpec<z.output<Entity>>[],
  SortKeys extends readonly FieldSpec<z.output<Entity>>[],
  Name extends string,
> extends Pick<
  Kind<Entity, string, string, Name>,
  'name' | 'entity' | 'visibility' | 'owns' | 'derive' | 'permissions'
> {
  /** Rows are filtered by the field; the filter need not be declared. */
  parent?: Parent & { field: keyof z.output<Entity> & `${string}_id` }
  shared?: { path: PathOf<z.output<Entity>>; equals: string | boolean }
  policies?: { path: keyof z.output<Entity> & string; actions: readonly string[] }
  status?: keyof z.output<Entity> & string
  /** One of the filters. */
  alias?: NamesOf<Filters>
  hasUniqueName?: boolean
  filters: Filters
  sortKeys: SortKeys
  /** `name:asc` unless said. */
  defaultSort?: `${NamesOf<SortKeys>}:${'asc' | 'desc'}`
  /** Name and id unless said. */
  search?: readonly AnyPath<z.output<Entity>>[]
  sums?: readonly AnyPath<z.output<Entity>>[]
  systemOnly?: readonly (keyof z.output<Entity> | PathOf<z.output<Entity>>)[]
}

/**
 * Declares a kind. Filters and sort keys are names of fields; their types follow from the schema: a set of texts and an
 * id are compared as a whole, other texts in part. What most kinds share is filled in.
 */
export function kind<
  Entity extends z.ZodObject,
  const Filters extends readonly FieldSpec<z.output<Entity>>[],
  const SortKeys extends readonly FieldSpec<z.output<Entity>>[],
  const Name extends string,
>(declared: KindDeclaration<Entity, Filters, SortKeys, Name>): Kind<Entity, NamesOf<Filters>, NamesOf<SortKeys>, Name> {
  const { parent } = declared
  const ofParent = parent ? { [parent.field]: { path: parent.field, type: 'id' } } : {}
  return {
    hasUniqueName: false,
    systemOnly: [],
    defaultSort: 'name:asc',
    search: ['name', 'id'],
    sums: [],
    ...declared,
    filters: { ...fieldsOf<z.output<Entity>, Filters>(declared.entity, declared.filters, 'id'), ...ofParent },
    sortKeys: fieldsOf<z.output<Entity>, SortKeys>(declared.entity, declared.sortKeys, 'text'),
  } as Kind<Entity, NamesOf<Filters>, NamesOf<SortKeys>, Name>
}

/** Fields of the parents of a kind's rows, the outermost first: parameters of the paths of its calls. */
export const parentFields = ({ parent }: Pick<Kind, 'parent'>): string[] =>
  parent ? [...parentFields(parent.kind), parent.field] : []

/** The kinds whose rows go with a row of this one. */
export const cascadingKinds = (name: string, kinds: Iterable<Kind>): { name: string; field: string }[] =>
  [...kinds].flatMap((it) =>
    it.parent?.goesAlong && it.parent.kind.name === name ? [{ name: it.name, field: it.parent.field }] : [],
  )

/** The value at a dotted path, or undefined. */
export const valueAt = (entity: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, step) => (at as Record<string, unknown> | null | undefined)?.[step], entity)
