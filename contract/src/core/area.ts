import type * as z from 'zod'
import type { Endpoint } from './endpoint'
import type { Kind } from './kind'
import type { CallTolerances } from './tolerance'

/** A resource of an area: its calls, and its kind if its rows are indexed. */
export interface AreaResource {
  kind?: Kind
  calls: Readonly<Record<string, Endpoint>>
}

/** A project quota, declared with `quota()`. */
export interface AreaQuota {
  /** Unit in which engines count. The API returns all sizes in bytes. */
  unit: 'things' | 'MiB' | 'bytes'
  /** Kind whose rows are counted. With `sum`, the numbers at that path in the rows are added up instead. */
  of: string
  sum?: string
  /** Path of the number in a recycle bin item that also counts towards the quota. */
  recycled?: string
  /** Rows of another kind whose numbers also count towards the quota. */
  also?: { of: string; sum: string }
  /** Path in the response of the quotas call, such as `compute.cores`. */
  at: string
  /** Name of the quota in error messages. */
  words: string
}

/** Capabilities that differ between engines, and their values if no engine serves the area. */
export interface AreaCapabilities<Schema extends z.ZodType = z.ZodType> {
  schema: Schema
  none: z.output<Schema>
}

/** Declares the capabilities of an area. `none` is returned if no engine serves the area. */
export const capabilities = <Schema extends z.ZodType>(
  schema: Schema,
  none: z.output<Schema>,
): AreaCapabilities<Schema> => ({ schema, none })

/** How an area is served by engines. */
export interface AreaOfEngines {
  /**
   * Set for areas that every cloud has. An engine can serve such an area on its own. By default, any other area is
   * served by the engine that serves the areas it needs.
   */
  inEveryCloud?: true
  /** Names of areas that must be served by the same engine as this one. */
  needs?: readonly string[]
  capabilities?: AreaCapabilities
  /** Quotas, keyed by the name that engines, errors and forms use. The area's engine stores their limits. */
  quotas?: Readonly<Record<string, AreaQuota>>
  /** Advice to operators if no engine serves the area. Default: a hint to set `MAINSTAY_AREAS`. */
  advice?: string
}

/** An area of the product, as data: its resources and calls, and its requirements for engines. */
export interface Area {
  /** Name used in `MAINSTAY_AREAS`, folder names and engine ports, such as `load-balancing`. */
  name: string
  /** Display name, such as `load balancers`. */
  title: string
  /** Resources by name. If the area has an engine, the engine owns their rows; otherwise the server does. */
  resources: Readonly<Record<string, AreaResource>>
  /** Omitted if the server implements the area itself. */
  engine?: AreaOfEngines
  /** Alternative request forms that its calls accept (decision 0020). */
  tolerances?: CallTolerances
}

/** Declares an area. All areas are listed in `contract/src/areas.ts`, from which every other list is derived. */
export const area = <const Given extends Area>(given: Given): Given => given
