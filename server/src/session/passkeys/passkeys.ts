import { randomUUID } from 'node:crypto'
import { notFound, fieldProblem, problem } from '@mainstay/contract/core/problems'
import { MOST_PASSKEYS, type Passkey } from '@mainstay/contract/identity/passkeys'
import type { Sql } from '@mainstay/engines/ports/engines'
import { withRecord } from '../../audit/acts'
import type { RelyingParty } from './relying-party'
import type { NewPasskey } from './webauthn'

/** A stored passkey, for the verification of signatures. */
export interface KeptPasskey {
  id: string
  user_id: string
  name: string
  host: string
  public_key: Buffer
}

/** Passkeys of local users. Only public keys are stored, so the database contains no secrets. */
export interface Passkeys {
  of(userId: string): Promise<Passkey[]>
  /** A user's credentials for a host, which the browser must not create again. */
  credentialsOf(userId: string, host: string): Promise<{ id: string; transports: string[] }[]>
  summaryOf(userId: string): Promise<{ count: number; last_used_at: string | null }>
  /** Whether any user has a passkey. */
  isAny(): Promise<boolean>
  /** Stores a passkey. Throws `duplicate_name`, or `conflict` if the limit is reached or the passkey already exists. */
  add(userId: string, name: string, made: NewPasskey, party: RelyingParty): Promise<Passkey>
  /** Renames a passkey of the user. Throws `not_found` or `duplicate_name`. */
  rename(userId: string, id: string, name: string): Promise<Passkey>
  /** Removes a passkey of the user. Throws `not_found`. */
  remove(userId: string, id: string): Promise<void>
  removeAll(userId: string): Promise<void>
  /** Finds a passkey by its credential ID. */
  find(credentialId: string): Promise<KeptPasskey | null>
  /**
   * Records a use. Throws `passkey_copied` if the counter has not increased, which indicates that the passkey was
   * copied.
   */
  used(kept: KeptPasskey, counter: number, isSynced: boolean): Promise<void>
}

interface Row extends Omit<Passkey, 'created_at' | 'last_used_at'> {
  created_at: Date
  last_used_at: Date | null
}
const shown = ({ created_at, last_used_at, ...row }: Row): Passkey => ({
  ...row,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
})
const columns = 'id, name, host, is_synced, created_at, last_used_at'

export function createPasskeys(sql: Sql, now: () => Date): Passkeys {
  const rowsOf = (inside: Sql, userId: string): Promise<Row[]> =>
    inside.query<Row>(`select ${columns} from passkey where user_id = $1 order by created_at, id`, [userId])

  function refuseName(others: Row[], name: string): void {
    if (others.some((it) => it.name.toLowerCase() === name.toLowerCase()))
      throw fieldProblem('name', 'identity.passkey_name_taken')
  }
  /** Serializes changes to a user's passkeys. */
  const lock = (inside: Sql, userId: string) =>
    inside.query('select from identity_user where id = $1 for no key update', [userId])

  return {
    of: async (userId) => (await rowsOf(sql, userId)).map(shown),

    async credentialsOf(userId, host) {
      const rows = await sql.query<{ credential_id: Buffer; transports: string[] }>(
        'select credential_id, transports from passkey where user_id = $1 and host = $2',
        [userId, host],
      )
      return rows.map(({ credential_id, transports }) => ({ id: credential_id.toString('base64url'), transports }))
    },

    async summaryOf(userId) {
      const [row] = await sql.query<{ count: number; last: Date | null }>(
        'select count(*)::int as count, max(last_used_at) as last from passkey where user_id = $1',
        [userId],
      )
      return { count: row!.count, last_used_at: row!.last?.toISOString() ?? null }
    },

    isAny: async () => (await sql.query('select from passkey limit 1')).length > 0,

    add: (userId, name, made, { host }) =>
      withRecord(sql, async (inside, record) => {
        await lock(inside, userId)
        const others = await rowsOf(inside, userId)
        refuseName(others, name)
        if (others.length >= MOST_PASSKEYS) throw problem('identity.too_many_passkeys', { most: MOST_PASSKEYS })
        const [row] = await inside.query<Row>(
          `insert into passkey (id, user_id, credential_id, public_key, counter, host, name, transports, is_synced, created_at)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (credential_id) do nothing returning ${columns}`,
          [
            ...[randomUUID(), userId, made.credentialId, made.publicKey, made.counter],
            ...[host, name, made.transports, made.isSynced, now()],
          ],
        )
        if (!row) throw problem('identity.passkey_known')
        await record(row)
        return shown(row)
      }),

    rename: (userId, id, name) =>
      withRecord(sql, async (inside, record) => {
        await lock(inside, userId)
        refuseName(
          (await rowsOf(inside, userId)).filter((it) => it.id !== id),
          name,
        )
        const [row] = await inside.query<Row>(
          `update passkey set name = $3 where id = $2 and user_id = $1 returning ${columns}`,
          [userId, id, name],
        )
        if (!row) throw notFound()
        await record(row)
        return shown(row)
      }),

    remove: (userId, id) =>
      withRecord(sql, async (inside, record) => {
        const [row] = await inside.query<Row>(
          `delete from passkey where id = $2 and user_id = $1 returning ${columns}`,
          [...[userId, id]],
        )
        if (!row) throw notFound()
        await record(row)
      }),

    removeAll: (userId) =>
      withRecord(sql, async (inside, record) => {
        const gone = await inside.query('delete from passkey where user_id = $1 returning id', [userId])
        if (gone.length > 0) await record()
      }),

    async find(credentialId) {
      const [row] = await sql.query<KeptPasskey>(
        'select id, user_id, name, host, public_key from passkey where credential_id = $1',
        [Buffer.from(credentialId, 'base64url')],
      )
      return row ?? null
    },

    // writes no audit entry, because the sign-in has one
    async used({ id, name }, counter, isSynced) {
      const counted = await sql.query(
        `update passkey set counter = $2, is_synced = $3, last_used_at = $4
          where id = $1 and (counter < $2 or counter = 0 and $2 = 0) returning id`,
        [id, counter, isSynced, now()],
      )
      if (counted.length > 0) return
      throw problem('identity.passkey_copied', { name })
    },
  }
}
