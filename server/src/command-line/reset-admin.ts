import { randomUUID } from 'node:crypto'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import { recordingActs } from '../audit/acts'
import { createAudit } from '../audit/audit'
import type { Config } from '../config'
import { createAttempts } from '../session/attempts'
import { sqlOf } from '../session/sql'
import { openStore } from '../store/store'

/** Sets the password in the engine. Returns null if there is no administrator yet. */
export type Reset = (
  sql: Sql,
  given: string | null,
) => Promise<{ userId: string; username: string; password: string | null } | null>

/**
 * Restores access for an operator at the machine: sets a new password for the built-in administrator (the configured
 * one, or a generated one that is returned and never stored), removes the second factor and passkeys, clears failed
 * sign-in attempts, and ends all sessions of that user. Throws if a cloud manages the users, the data folder is in use,
 * or there is no administrator yet.
 */
export async function resetAdmin(options: {
  config: Pick<Config, 'databaseUrl' | 'dataFolder' | 'adminPassword'>
  /** Name of the engine that manages the users. */
  identity: string | null
  log: Log
  reset: Reset
}): Promise<{ username: string; password: string | null; sessionsEnded: number }> {
  const { config, identity, log, reset } = options
  if (identity !== 'embedded')
    throw new Error('The cloud manages the users. Reset the password of its administrator there.')
  const store = await openStore({ databaseUrl: config.databaseUrl, dataFolder: config.dataFolder, log })
  try {
    const sql = sqlOf(store.db)
    const act = createAudit(sql, log).begin({
      call: {
        ...{ action: 'user.resetAdministrator', scope: null, request_id: randomUUID() },
        ...{ address: 'local', method: '', path: '--reset-admin', started_at: new Date() },
      },
      ...{ status: 200, kind: 'user', noteFirst: false },
      subjectOf(thing) {
        const user = (thing ?? null) as { userId: string; username: string } | null
        return { kind: 'user', id: user?.userId ?? null, name: user?.username ?? null }
      },
    })
    const done = await act.run(() => reset(recordingActs(sql), config.adminPassword))
    if (!done) throw new Error('There is no administrator yet. The first start of the server creates one.')
    await createAttempts(sql).forgetAll()
    // the second factor may be lost, and an attacker may have added a passkey
    for (const table of ['second_factor', 'passkey'])
      await sql.query(`delete from ${table} where user_id = $1`, [done.userId])
    const ended = await sql.query(
      'update session set ended_at = $2 where user_id = $1 and ended_at is null returning id',
      [done.userId, new Date()],
    )
    await act.done(done)
    return { username: done.username, password: done.password, sessionsEnded: ended.length }
  } finally {
    await store.close()
  }
}
