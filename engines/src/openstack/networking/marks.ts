import * as z from 'zod'
import type { ServiceClient } from '../client/service-client'
import { unlessGone } from '../read-each'
import { whole } from './wire'

/*
 * The description of an object that takes several calls to create contains the ID of its intent, so that the object can
 * be found if the server dies before the last call.
 */

export const markOf = (intent: string): string => `Made by Mainstay (${intent})`

const Marked = z.object({ id: z.string(), description: z.string().nullish() })

/** Returns the ID of the row created for an intent, or null if there is none. */
export async function markedBy(
  cloud: ServiceClient,
  list: 'networks' | 'routers' | 'ports',
  intent: string,
): Promise<string | null> {
  const query = { description: markOf(intent), fields: ['id', 'description'] }
  const rows = await whole(cloud.pages('network', `/${list}`, list, Marked, { query }))
  return rows.find(({ description }) => description === markOf(intent))?.id ?? null
}

/** Deletes a row. Succeeds if the row no longer exists. */
export const deleteRow = async (cloud: ServiceClient, list: string, id: string): Promise<void> => {
  await unlessGone(cloud.send('DELETE', 'network', `/${list}/${encodeURIComponent(id)}`, z.void()))
}
