import type * as z from 'zod'
import type { Endpoint } from './endpoint'
import type { Kind } from './kind'
import type { CallTolerances } from './tolerance'

/** A resource of an area: its calls, and its kind where rows of it are in the index. */
export interface AreaResource {
  kind?: Kind
  calls: Readonly<Record<string, Endpoint>>
}

/** Something of which a project may have so much. `quota()` declares one. */
export interface AreaQuota {
  /** What engines count in: things, MiB or bytes. The API answers every size in bytes. */
  unit: 'things' | 'MiB' | 'bytes'
  /** What is counted: the rows of a kind in the index or, with `sum`, one of their numbers by its path. */
  of: string
  sum?: string
  /** The number of what is in the recycle bin that counts as well, by its path. */
  recycled?: string
  /** Where the call of quotas answers it: `compute.cores`. */
  at: string
  /** Names it where it is not enough. */
  words: string
}

/** What engines can do in an area where they differ, and the value where no engine serves it. */
export interface AreaCapabilities<Schema extends z.ZodType = z.ZodType> {
  schema: Schema
  none: z.output<Schema>
}

/** Declares what engines can do in an area. `none` is answered where no engine serves the area. */
export const capabilities = <Schema extends z.ZodType>(
  schema: Schema,
  none: z.output<Schema>,
): AreaCapabilities<Schema> => ({ schema, none })

/** How engines serve an area. */
export interface AreaOfEngines {
  /** Every cloud has it: an engine can serve these areas alone, and an area that is not one of them follows what it needs. */
  inEveryCloud?: true
  /** The areas that the same engine has to serve, by name, whichever engine it is. */
  needs?: readonly string[]
  capabilities?: AreaCapabilities
  /** Quotas by the name that engines, refusals and forms have for them. The engine of the area keeps their limits. */
  quotas?: Readonly<Record<string, AreaQuota>>
  /** What to do where no engine serves it. Without this, `MAINSTAY_AREAS` is named. */
  advice?: string
}

/** An area of the product as data: what it is about, what can be called, and what engines need to serve it. */
export interface Area {
  /** Names it in `MAINSTAY_AREAS`, in folders and in ports: `load-balancing`. */
  name: string
  /** What it is about, for people: `load balancers`. */
  title: string
  /** By name. The kinds of an area with an engine are the engine's; those of other areas are the server's own. */
  resources: Readonly<Record<string, AreaResource>>
  /** Left out where the server itself does everything. */
  engine?: AreaOfEngines
  /** What its calls understand besides the preferred form (decision 0020). */
  tolerances?: CallTolerances
}

/** Declares an area. `contract/src/areas.ts` lists all of them, and every other list is derived from that one. */
export const area = <const Given extends Area>(given: Given): Given => given
