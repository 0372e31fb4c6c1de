import { createHash, randomBytes } from 'node:crypto'
import { problem, fieldProblem } from '@mainstay/contract/core/problems'
import { RECOVERY_CODES, type SecondFactor } from '@mainstay/contract/identity/second-factor'
import type { Sql } from '@mainstay/engines/ports/engines'
import { Secret } from '@mainstay/engines/ports/secret'
import { withRecord } from '../../audit/acts'
import { seal, unseal } from '../sealing'
import { base32, makeSecret, stepOf } from './totp'

/**
 * Second factors of local users. Secrets are sealed with the installation's key, and recovery codes are stored as
 * hashes.
 */
export interface SecondFactors {
  state(userId: string): Promise<Omit<SecondFactor, 'is_available'>>
  isOn(userId: string): Promise<boolean>
  /**
   * Returns a new secret in base32, replacing any unconfirmed one. Throws `conflict` if the user has a confirmed
   * factor.
   */
  begin(userId: string): Promise<string>
  /**
   * Enables the factor and returns the recovery codes. Throws `validation` if the code is wrong, or `conflict` if there
   * is no unconfirmed factor.
   */
  confirm(userId: string, code: string): Promise<string[]>
  /** Replaces the recovery codes and returns the new ones. Throws `conflict` if the user has no second factor. */
  renewCodes(userId: string): Promise<string[]>
  /** Returns whether the user had a second factor. */
  remove(userId: string): Promise<boolean>
  /**
   * Checks a code: one from the app that is newer than the last one used, or an unused recovery code. Returns whether
   * it is valid.
   */
  accept(userId: string, code: string): Promise<boolean>
}

interface Row {
  sealed: Buffer
  confirmed_at: Date | null
  last_step: string | number
  recovery_codes: Buffer[]
}

const placeOf = (userId: string): string => `second factor of ${userId}`
const plain = (code: string): string => code.replace(/[\s-]/g, '').toUpperCase()
const hashOf = (code: string, userId: string): Buffer =>
  createHash('sha256')
    .update(`${userId}\n${plain(code)}`)
    .digest()

/** Each code has 80 bits in four groups: `ABCD-EFGH-IJKL-MNOP`. */
const makeCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => base32(randomBytes(10)).replace(/(.{4})(?=.)/g, '$1-'))

export function createSecondFactors(sql: Sql, key: Secret, now: () => Date = () => new Date()): SecondFactors {
  const find = async (inside: Sql, userId: string, more = ''): Promise<Row | undefined> => {
    const columns = 'sealed, confirmed_at, last_step, recovery_codes'
    return (await inside.query<Row>(`select ${columns} from second_factor where user_id = $1 ${more}`, [userId]))[0]
  }
  const isDone = (row: Row | undefined): row is Row & { confirmed_at: Date } => (row?.confirmed_at ?? null) !== null

  /**
   * Throws `not_configured` if the secret cannot be opened. In that case, only a recovery code or an administrator can
   * help.
   */
  function secretOf(row: Row, userId: string): string {
    const secret = unseal(row.sealed, key, placeOf(userId))
    if (!secret) throw problem('identity.second_factor_sealed')
    return secret.reveal()
  }

  return {
    async state(userId) {
      const row = await find(sql, userId)
      return isDone(row)
        ? { is_on: true, since: row.confirmed_at.toISOString(), recovery_codes_left: row.recovery_codes.length }
        : { is_on: false, since: null, recovery_codes_left: 0 }
    },

    isOn: async (userId) => isDone(await find(sql, userId)),

    begin: (userId) =>
      withRecord(sql, async (inside, record) => {
        const secret = makeSecret()
        const made = await inside.query(
          `insert into second_factor as known (user_id, sealed) values ($1, $2)
            on conflict (user_id) do update set sealed = excluded.sealed where known.confirmed_at is null returning user_id`,
          [userId, seal(new Secret(secret), key, placeOf(userId))],
        )
        if (made.length === 0) throw problem('identity.second_factor_exists')
        await record()
        return secret
      }),

    confirm: (userId, code) =>
      withRecord(sql, async (inside, record) => {
        const row = await find(inside, userId, 'for update')
        if (!row || isDone(row)) throw problem('identity.second_factor_not_begun')
        const step = stepOf(secretOf(row, userId), plain(code), now(), 0)
        if (step === null) throw fieldProblem('code', 'identity.wrong_app_code')
        const codes = makeCodes()
        await inside.query(
          'update second_factor set confirmed_at = $2, last_step = $3, recovery_codes = $4 where user_id = $1',
          [userId, now(), step, codes.map((it) => hashOf(it, userId))],
        )
        await record()
        return codes
      }),

    renewCodes: (userId) =>
      withRecord(sql, async (inside, record) => {
        const codes = makeCodes()
        const changed = await inside.query(
          'update second_factor set recovery_codes = $2 where user_id = $1 and confirmed_at is not null returning user_id',
          [userId, codes.map((it) => hashOf(it, userId))],
        )
        if (changed.length === 0) throw problem('identity.no_second_factor')
        await record()
        return codes
      }),

    remove: (userId) =>
      withRecord(sql, async (inside, record) => {
        const gone = await inside.query<Row>('delete from second_factor where user_id = $1 returning confirmed_at', [
          userId,
        ])
        if (gone.length > 0) await record()
        return isDone(gone[0])
      }),

    // writes no audit entry, because the sign-in has one
    accept: (userId, code) =>
      sql.transaction(async (inside) => {
        const row = await find(inside, userId, 'for update')
        if (!isDone(row)) return false
        if (/^\d{6}$/.test(plain(code))) {
          const step = stepOf(secretOf(row, userId), plain(code), now(), Number(row.last_step))
          if (step !== null)
            await inside.query('update second_factor set last_step = $2 where user_id = $1', [userId, step])
          return step !== null
        }
        const hash = hashOf(code, userId)
        if (!row.recovery_codes.some((it) => it.equals(hash))) return false
        await inside.query(
          'update second_factor set recovery_codes = array_remove(recovery_codes, $2) where user_id = $1',
          [...[userId, hash]],
        )
        return true
      }),
  }
}
