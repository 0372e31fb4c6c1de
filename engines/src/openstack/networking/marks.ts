import * as z from 'zod'
import type { ServiceClient } from '../client/service-client'
import { unlessGone } from '../read-each'
import { whole } from './wire'

/*
 * Objects whose creation takes several calls are marked with the ID of their intent in their description, so that they
 * are found if the server dies meanwhile.
 */

export const markOf = (intent: string): string => `Made by Mainstay (${intent})`

const Marked = z.object({ id: z.string(), description: z.string().nullish() })

/** ID of the row created for an intent; null if there is none. */
export async function markedBy(
  cloud: ServiceClient,
  list: 'networks' | 'routers' | 'ports',
  intent: string,
): Promise<string | null> {
  const query = { description: markOf(intent), fields: ['id', 'description'] }
  const rows = await whole(cloud.pages('network', `/${list}`, list, Marked, { query }))
  return rows.find(({ description }) => description === markOf(intent))?.id ?? null
}

/** Deletes a row. A row that no longer exists is not an error. */
export const deleteRow = async (cloud: ServiceClient, list: string, id: string): Promise<void> => {
  await unlessGone(cloud.send('DELETE', 'network', `/${list}/${encodeURIComponent(id)}`, z.void()))
}
