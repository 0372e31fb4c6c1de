import { unknownTime } from '@mainstay/contract/core/names'
import * as z from 'zod'

/* Shared by the networking readers. */

export const FixedIp = z.object({ subnet_id: z.string(), ip_address: z.string() })
export const NamedRow = z.object({ id: z.string(), name: z.string().nullish() })

/** Default for rows for which the cloud reports no time. */
export const beforeTimes = unknownTime

/** Rows per page. */
export const pageSize = 500
/** IDs per request, to keep the URL short enough for all proxies. */
const idsPerCall = 40

/** Collects all pages of a list. */
export async function whole<Item>(pages: AsyncIterable<Item[]>): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of pages) items.push(...page)
  return items
}

/** Splits the IDs into chunks and reads one chunk per request. */
export async function inChunks<Item>(ids: Iterable<string>, read: (ids: string[]) => Promise<Item[]>): Promise<Item[]> {
  const all = [...new Set(ids)]
  const items: Item[] = []
  for (let at = 0; at < all.length; at += idsPerCall) items.push(...(await read(all.slice(at, at + idsPerCall))))
  return items
}

/** For this long after a change, a row that is down is read again, because no notification is sent when it comes up. */
const comesUpMs = 60_000
export const mayComeUp = ({ status, updated_at }: { status: string; updated_at: string }): boolean =>
  status === 'BUILD' || (status === 'DOWN' && Date.now() - Date.parse(updated_at) < comesUpMs)

/** Returns the domain of a project, or empty if there is no project, as for the cloud's own ports. */
export const domainOfOwner = async (
  { domainOf }: { domainOf(projectId: string): Promise<string> },
  projectId: string,
): Promise<string> => (projectId === '' ? '' : domainOf(projectId))
