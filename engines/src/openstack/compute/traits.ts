import * as z from 'zod'
import type { CallOptions, ServiceClient, Query } from '../client/service-client'
import { listOf, type OnUnreadableRow } from '../client/rows'

/** Prefix of custom traits, which represent placements; the other traits describe hardware. */
export const customTrait = 'CUSTOM_'
export const traitVersion = '1.6'

const prefix = 'trait:'
/**
 * Returns the name of the property with which flavors and images require a trait, and aggregates reserve their hosts
 * for it. A value other than `required` forbids the trait.
 */
export const traitProperty = (id: string): string => `${prefix}${id}`
export const required = 'required'

/** Returns the traits that these properties require. */
export const requiredTraits = (properties: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(properties).flatMap(([name, value]) =>
    name.startsWith(prefix) && value === required ? [name.slice(prefix.length)] : [],
  )

/** Reads the IDs of the custom traits that match the query. */
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
