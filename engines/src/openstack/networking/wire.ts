import { unknownTime } from '@mainstay/contract/core/names'
import * as z from 'zod'

/*
 * What is read of networks and ports besides what their own readers read, and what several kinds have in common.
 */

export const FixedIp = z.object({ subnet_id: z.string(), ip_address: z.string() })
export const NamedRow = z.object({ id: z.string(), name: z.string().nullish() })

/** When the cloud tells no time of a row. */
export const beforeTimes = unknownTime

/** Rows of a page. */
export const pageSize = 500
/** Ids in one query: it must stay a line that every proxy takes. */
const idsPerCall = 40

/** All pages of a list as one. */
export async function whole<Item>(pages: AsyncIterable<Item[]>): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of pages) items.push(...page)
  return items
}

/** What is read for so many ids, some of them in each call. */
export async function inChunks<Item>(ids: Iterable<string>, read: (ids: string[]) => Promise<Item[]>): Promise<Item[]> {
  const all = [...new Set(ids)]
  const items: Item[] = []
  for (let at = 0; at < all.length; at += idsPerCall) items.push(...(await read(all.slice(at, at + idsPerCall))))
  return items
}

/** How long after it was changed a row that is down is looked at again: what comes up then is announced by nobody. */
const comesUpMs = 60_000
export const mayComeUp = ({ status, updated_at }: { status: string; updated_at: string }): boolean =>
  status === 'BUILD' || (status === 'DOWN' && Date.now() - Date.parse(updated_at) < comesUpMs)

/** The domain of a project; what belongs to no project, as ports of the cloud's own, is in none. */
export const domainOfOwner = async (
  { domainOf }: { domainOf(projectId: string): Promise<string> },
  projectId: string,
): Promise<string> => (projectId === '' ? '' : domainOf(projectId))
