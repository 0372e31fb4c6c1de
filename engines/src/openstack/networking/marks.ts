import * as z from 'zod'
import type { ServiceClient } from '../client/service-client'
import { unlessGone } from '../read-each'
import { whole } from './wire'

/*
 * What takes several calls to be made bears the id of its intent in its description, so that it is found when the server died
 * that had it made.
 */

export const markOf = (intent: string): string => `Made by Mainstay (${intent})`

const Marked = z.object({ id: z.string(), description: z.string().nullish() })

/** The row that was made for an intent; null where there is none. */
export async function markedBy(
  cloud: ServiceClient,
  list: 'networks' | 'routers' | 'ports',
  intent: string,
): Promise<string | null> {
  const query = { description: markOf(intent), fields: ['id', 'description'] }
  const rows = await whole(cloud.pages('network', `/${list}`, list, Marked, { query }))
  return rows.find(({ description }) => description === markOf(intent))?.id ?? null
}

/** Deletes a row; one that is gone is no error. */
export const deleteRow = async (cloud: ServiceClient, list: string, id: string): Promise<void> => {
  await unlessGone(cloud.send('DELETE', 'network', `/${list}/${encodeURIComponent(id)}`, z.void()))
}
