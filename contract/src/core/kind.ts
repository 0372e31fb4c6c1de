import type * as z from 'zod'
import type { ResourceName } from '../permissions'

/**
 * Where a filter or a sort key finds its value: a dotted path into the entity (`flavor.vcpus`) or into what
 * `derive` adds (`derived.ip_addresses`), and how it is compared. `tags` is an array of texts. The inventory
 * makes an index for each.
 */
export interface FieldAt {
  path: string
  type: 'text' | 'number' | 'time' | 'boolean' | 'tags' | 'id'
}

/**
 * Who sees a row. `project`: those whose scope is its project, plus everybody where `shared` says so.
 * `owner`: one user within one project, or within all of theirs where the row names none (SSH keys). `domain`: those of its domain. `global`: everybody signed in.
 * A system scope sees all rows of all of them.
 */
export type Visibility = 'project' | 'owner' | 'domain' | 'global'

/** A resource kind as data. Generic machinery lists, finds, pages, filters, searches, guards and announces it. */
export interface Kind<Entity extends z.ZodObject = z.ZodObject> {
  /** Name in the index, in events and in the audit log. */
  name: string
  entity: Entity
  visibility: Visibility
  /** A row is seen by everybody signed in when this field has this value (public images). */
  shared?: { path: string; equals: string | boolean }
  /** The name of the column that holds a row's status, if it has one. */
  status?: string
  filters: Record<string, FieldAt>
  sortKeys: Record<string, FieldAt>
  defaultSort: `${string}:${'asc' | 'desc'}`
  /** Paths of the texts that `search` looks into. */
  search: string[]
  /** Paths of numbers that are summed up, for quotas and capacities, and neither filtered nor sorted by. */
  figures: string[]
  /** Paths left out of answers to everybody but a system scope (host names, I9). */
  systemOnly: string[]
  /**
   * Figures that only the index needs, kept beside the entity and never answered. Count `version` up whenever `from`,
   * or what it calls, answers something else for the same entity: the index is then made anew.
   */
  derive?: { version: number; from: (entity: z.output<Entity>) => Record<string, unknown> }
  /** Rights for the list and for one row. */
  permissions: { collection: ResourceName; item: ResourceName }
}

/** Declares a kind; what most kinds share is filled in. */
export function kind<Entity extends z.ZodObject>(
  it: Omit<Kind<Entity>, 'systemOnly' | 'defaultSort' | 'search' | 'figures'> & Partial<Kind<Entity>>,
): Kind<Entity> {
  return { systemOnly: [], defaultSort: 'name:asc', search: ['name', 'id'], figures: [], ...it }
}

/** The value at a dotted path, or undefined. */
export const valueAt = (entity: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, step) => (at as Record<string, unknown> | null | undefined)?.[step], entity)
