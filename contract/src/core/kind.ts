import type * as z from 'zod'
import type { ResourceName } from '../permissions'
import { fieldsOf, type AnyPath, type FieldAt, type FieldSpec, type NamesOf, type PathOf } from './fields'

/**
 * Scopes that can see a row, in addition to those it is shared with. System scopes can see all rows. `system`: no other
 * scopes (nodes). `project`: scopes of the row's project. `owner`: one user, in the row's project or, if the row names
 * none, in all of the user's projects (SSH keys). `domain`: scopes of the row's domain. `administered`: scopes of the
 * row's project, and scopes of its domain without a project, which only domain administrators have (users, projects).
 * `global`: all signed-in users.
 */
export type Visibility = 'system' | 'project' | 'owner' | 'domain' | 'administered' | 'global'

/** Fields that name the owner of a row. */
export type OwnerField = 'project_id' | 'domain_id'

/** The parent kind of a nested kind, and the field that holds the ID of the parent. */
interface Parent {
  kind: Kind
  field: string
  /** Rows are removed together with their parent's record. Only for kinds that require no other cleanup. */
  goesAlong?: true
}

/**
 * A kind of resource, as data. Lists, lookups, paging, filters, search, permission checks and events are generic and
 * driven by it.
 */
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
  /**
   * Kind that contains the rows, as a node contains disks. The paths of its calls have a parameter named after the
   * field.
   */
  parent?: Parent
  /** Field in which other rows name a row of this kind as their owner. A row of this kind is its own owner. */
  owns?: OwnerField
  /** A row is visible to all signed-in users if this field has this value (public images). */
  shared?: { path: string; equals: string | boolean }
  /**
   * Path of the access policies (`AccessPolicy[]`). A row is visible to the targets of policies that grant any of these
   * actions.
   */
  policies?: { path: string; actions: readonly string[] }
  /** Name of the field that holds the status of a row, if any. */
  status?: string
  /** Another field that clients may use in a path instead of the ID. */
  alias?: Filter
  /** Whether names must be unique, among the rows of one owner or, for kinds without owners, among all rows. */
  hasUniqueName: boolean
  filters: Record<Filter, FieldAt>
  sortKeys: Record<SortKey, FieldAt>
  defaultSort: `${string}:${'asc' | 'desc'}`
  /** Paths of the string fields that `search` covers. */
  search: readonly string[]
  /** Paths of numbers that the index sums for quotas and capacities. They cannot be used for filters or sorting. */
  sums: readonly string[]
  /** Paths that are omitted in responses unless the caller has a system scope (host names, I9). */
  systemOnly: readonly string[]
  /**
   * Values that only the index needs, stored with the entity and never returned. Increment `version` whenever `from`,
   * or a function that it calls, changes its result for the same entity: the index is then rebuilt.
   */
  derive?: { version: number; from(entity: z.output<Entity>): Record<string, unknown> }
  /** Permissions for the list and for a single row. */
  permissions: { collection: ResourceName; item: ResourceName }
}

/** Declaration of a kind, in terms of the fields of its entity. */
interface KindDeclaration<
  Entity extends z.ZodObject,
  Filters extends readonly FieldSpec<z.output<Entity>>[],
  SortKeys extends readonly FieldSpec<z.output<Entity>>[],
  Name extends string,
> extends Pick<
  Kind<Entity, string, string, Name>,
  'name' | 'entity' | 'visibility' | 'owns' | 'derive' | 'permissions'
> {
  /** Also adds a filter for the field. */
  parent?: Parent & { field: keyof z.output<Entity> & `${string}_id` }
  shared?: { path: PathOf<z.output<Entity>>; equals: string | boolean }
  policies?: { path: keyof z.output<Entity> & string; actions: readonly string[] }
  status?: keyof z.output<Entity> & string
  /** Must be one of the filters. */
  alias?: NamesOf<Filters>
  hasUniqueName?: boolean
  filters: Filters
  sortKeys: SortKeys
  /** Default: `name:asc`. */
  defaultSort?: `${NamesOf<SortKeys>}:${'asc' | 'desc'}`
  /** Default: name and ID. */
  search?: readonly AnyPath<z.output<Entity>>[]
  sums?: readonly AnyPath<z.output<Entity>>[]
  systemOnly?: readonly (keyof z.output<Entity> | PathOf<z.output<Entity>>)[]
}

/**
 * Declares a kind and fills in the defaults. Filters and sort keys are field names; their types are inferred from the
 * schema. Filters on enums and IDs match the whole value; filters on other strings match substrings.
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

/** Returns the parent fields of a kind, outermost first; they are path parameters of its calls. */
export const parentFields = ({ parent }: Pick<Kind, 'parent'>): string[] =>
  parent ? [...parentFields(parent.kind), parent.field] : []

/** Returns the kinds whose rows are removed together with a row of this kind. */
export const cascadingKinds = (name: string, kinds: Iterable<Kind>): { name: string; field: string }[] =>
  [...kinds].flatMap((it) =>
    it.parent?.goesAlong && it.parent.kind.name === name ? [{ name: it.name, field: it.parent.field }] : [],
  )

/** Returns the value at a dotted path, or undefined. */
export const valueAt = (entity: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, step) => (at as Record<string, unknown> | null | undefined)?.[step], entity)
