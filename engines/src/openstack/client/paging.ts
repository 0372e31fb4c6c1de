import * as z from 'zod'
import type { Query } from './service-client'
import { listOf, type OnUnreadableRow } from './rows'

/** Lists longer than this many pages are taken for endless. */
export const mostPages = 10_000

const Link = z.object({ rel: z.string(), href: z.string() })

/** A page of a list: its rows under `key`, and the link to the next one in any of the forms that services have. */
export const pageOf = <Item extends z.ZodType>(key: string, item: Item, tell?: OnUnreadableRow) =>
  z.looseObject({ [key]: listOf(item, tell) }).transform((page) => ({
    rows: page[key] as z.output<Item>[],
    next: nextLink(page, key),
    // Keystone answers so many rows (`list_limit`) and has no link to the others
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

/** Some links are whole addresses, others only paths. */
const anywhere = 'http://cloud.invalid'

/**
 * What to ask for next. Of the link only its query is taken: the token stays at the address that it is meant for, also
 * where the cloud tells another one (it may not know what stands before it). A link to another list is none: null.
 */
export function nextQuery(link: string, path: string): Query | null {
  if (!URL.canParse(link, anywhere)) return null
  const { pathname, searchParams } = new URL(link, anywhere)
  if (!pathname.replace(/\/$/, '').endsWith(path)) return null
  const query: Record<string, string[]> = {}
  for (const [name, value] of searchParams) (query[name] ??= []).push(value)
  return query
}

/** The query as it is sent: several values of a name one after the other, nothing for what is left out. */
export function searchOf(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [String(value)]) search.append(name, one)
  }
  return search.toString()
}
