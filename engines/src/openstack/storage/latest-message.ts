import * as z from 'zod'
import type { Reading } from '../kind-reader'

const Messages = z.object({ messages: z.array(z.object({ user_message: z.string() })) })
/** First microversion that filters messages by object and sorts them. */
const version = '3.5'

/**
 * Returns the cloud's latest message about a volume or a snapshot, which says why it is in error. Returns null if there
 * is none.
 */
export async function latestMessage({ caller }: Pick<Reading, 'caller'>, id: string): Promise<string | null> {
  const query = { resource_uuid: id, sort: 'created_at:desc', limit: 1 }
  const told = await caller.get('volume', '/messages', Messages, { query, version }).catch(() => ({ messages: [] }))
  return told.messages[0]?.user_message ?? null
}
