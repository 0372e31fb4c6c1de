import { randomUUID } from 'node:crypto'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import { recordingActs } from '../audit/acts'
import { createAudit } from '../audit/audit'
import type { Config } from '../config'
import { createAttempts } from '../session/attempts'
import { sqlOf } from '../session/sql'
import { openStore } from '../store/store'

/** What the engine does about it: null where there is no administrator yet. */
export type Reset = (
  sql: Sql,
  given: string | null,
) => Promise<{ userId: string; username: string; password: string | null } | null>

/**
 * The way out for whoever is at the machine: the built-in administrator gets a new password (that of the configuration,
 * or a generated one, which is answered and kept nowhere), nobody has to wait for failures any more, and the
 * administrator's sessions end. Throws errors for people: a cloud keeps the users, the folder is in use, nobody is there.
 */
export async function resetAdmin(options: {
  config: Pick<Config, 'databaseUrl' | 'dataFolder' | 'adminPassword'>
  /** Which engine knows the users. */
  identity: string | null
  log: Log
  reset: Reset
}): Promise<{ username: string; password: string | null; sessionsEnded: number }> {
  const { config, identity, log, reset } = options
  if (identity !== 'embedded')
    throw new Error('Users are those of the cloud; give its administrator a new password there.')
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
    if (!done) throw new Error('There is no administrator here yet; the first start of the server makes one.')
    await createAttempts(sql).forgetAll()
    // whoever is at the machine may have lost what shows the codes as well, and somebody else may have added a passkey
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
