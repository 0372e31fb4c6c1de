import * as z from 'zod'
import type { Query } from './service-client'
import { listOf, type OnUnreadableRow } from './rows'

/** A list with more pages than this is treated as endless. */
export const mostPages = 10_000

const Link = z.object({ rel: z.string(), href: z.string() })

/** Returns the schema of a list page: rows under `key`, and the next link in any of the formats that services use. */
export const pageOf = <Item extends z.ZodType>(key: string, item: Item, tell?: OnUnreadableRow) =>
  z.looseObject({ [key]: listOf(item, tell) }).transform((page) => ({
    rows: page[key] as z.output<Item>[],
    next: nextLink(page, key),
    // Keystone truncates a list at `list_limit` rows and provides no link to the rest
    isCutShort: (page as Record<string, unknown>)['truncated'] === true,
  }))

const Links = z.array(Link)
const IdentityLinks = z.object({ next: z.string().nullish() })

function nextLink(page: Record<string, unknown>, key: string): string | null {
  const links = Links.safeParse(page[`${key}_links`])
  if (links.success) return links.data.find(({ rel }) => rel === 'next')?.href ?? null
  if (typeof page['next'] === 'string') return page['next']
  const own = IdentityLinks.safeParse(page['links'])
  return (own.success && own.data.next) || null
}

/** Base URL for parsing links, because some are only paths. */
const anywhere = 'http://cloud.invalid'

/**
 * Returns the query of the next page, or null if the link points to another list. Only the query of the link is used:
 * the host may be an internal one behind a proxy, and the token must not be sent anywhere else.
 */
export function nextQuery(link: string, path: string): Query | null {
  if (!URL.canParse(link, anywhere)) return null
  const { pathname, searchParams } = new URL(link, anywhere)
  if (!pathname.replace(/\/$/, '').endsWith(path)) return null
  const query: Record<string, string[]> = {}
  for (const [name, value] of searchParams) (query[name] ??= []).push(value)
  return query
}

/** Serializes a query. An array repeats the name for each value; undefined values are omitted. */
export function searchOf(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [String(value)]) search.append(name, one)
  }
  return search.toString()
}
