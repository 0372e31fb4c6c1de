import * as z from 'zod'
import type { CallOptions, ServiceClient, Query } from '../client/service-client'
import { listOf, type OnUnreadableRow } from '../client/rows'

/** Traits that people made begin so; those of the hardware are no placements. */
export const customTrait = 'CUSTOM_'
export const traitVersion = '1.6'

const prefix = 'trait:'
/** How flavors and images ask for a trait, and aggregates keep themselves for it; another value forbids it. */
export const traitProperty = (id: string): string => `${prefix}${id}`
export const required = 'required'

/** Traits that these properties ask for. */
export const requiredTraits = (properties: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(properties).flatMap(([name, value]) =>
    name.startsWith(prefix) && value === required ? [name.slice(prefix.length)] : [],
  )

/** Ids of the traits that people made, as many of them as the query wants. */
export async function readTraits(
  caller: ServiceClient,
  query: Query,
  options: CallOptions = {},
  unreadable?: OnUnreadableRow,
): Promise<string[]> {
  const Names = z.object({ traits: listOf(z.string(), unreadable) })
  const { traits } = await caller.get('placement', '/traits', Names, { version: traitVersion, query, ...options })
  return traits.filter((trait) => trait.startsWith(customTrait))
}
