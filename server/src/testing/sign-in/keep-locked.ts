import type { TestServer } from '../start-server'

/**
 * Lets the current locks after failed sign-ins last for half a minute. The first lock ends after a second, which a
 * busy machine may need for a single call.
 */
export async function keepLocked({ sql }: Pick<TestServer, 'sql'>): Promise<void> {
  await sql.query("update sign_in_failure set last_at = now() + interval '30 seconds'")
}
