import type { Service } from '../../client/service-client'

interface Listing {
  service: Service
  key: string
  rows: readonly { id: string }[]
  query: URLSearchParams
  /** Maximum rows per page; the caller may request fewer. */
  mostRows: number
  href: string
}

/** Returns a page of a list, with a next link in the format of the service. */
export function pageOfRows({ service, key, rows, query, mostRows, href }: Listing): object {
  const limit = Math.min(Number(query.get('limit') ?? mostRows), mostRows)
  const marker = query.get('marker')
  const from = marker === null ? 0 : rows.findIndex(({ id }) => id === marker) + 1
  const page = rows.slice(from, from + limit)
  const last = page.at(-1)
  const hasMore = last !== undefined && from + limit < rows.length
  const search = new URLSearchParams(query)
  if (last) search.set('marker', last.id)
  const next = hasMore ? `${href}?${search}` : null
  if (service === 'image')
    return { [key]: page, ...(next !== null && { next: next.replace(/^https?:\/\/[^/]+\/image/, '') }) }
  if (service === 'identity') return { [key]: page, links: { next, self: href, previous: null } }
  return { [key]: page, ...(next !== null && { [`${key}_links`]: [{ rel: 'next', href: next }] }) }
}
