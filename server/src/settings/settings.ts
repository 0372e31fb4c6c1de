import type { Sql } from '@mainstay/engines/ports/engines'
import type { Secret } from '@mainstay/engines/ports/secret'
import type * as z from 'zod'
import { withRecord } from '../audit/acts'
import { seal, unseal } from '../session/sealing'

/** A stored setting. */
export interface StoredSetting<Value> {
  value: Value
  /** The decrypted secret; null if there is none, or if it cannot be decrypted. */
  secret: Secret | null
  /** Whether the secret was encrypted with another server's key. */
  isSealedElsewhere: boolean
}

/** A change to a setting. If `secret` is omitted, the stored secret is kept. */
export interface Change<Value> {
  value: Value
  secret?: Secret | null
}

/** A setting: its name in the database, and the schema of its value. */
export interface Setting<Value> {
  name: string
  shape: z.ZodType<Value>
}

/**
 * Settings that operators can change while the server runs. Secrets are encrypted, so that the database alone does not
 * reveal them.
 */
export interface Settings {
  /** Returns a stored setting; null if the setting was never saved. */
  read<Value>(setting: Setting<Value>): Promise<StoredSetting<Value> | null>
  /** Like `read`, in a transaction of the caller, whose database is `inside`. */
  readIn<Value>(inside: Sql, setting: Setting<Value>): Promise<StoredSetting<Value> | null>
  /** Replaces a setting with the result of `work`. Concurrent changes wait. */
  change<Value>(
    setting: Setting<Value>,
    work: (kept: StoredSetting<Value> | null) => Change<Value> | Promise<Change<Value>>,
  ): Promise<StoredSetting<Value>>
  /** Like `change`, in a transaction of the caller, whose database is `inside`. */
  changeIn<Value>(
    inside: Sql,
    setting: Setting<Value>,
    work: (kept: StoredSetting<Value> | null) => Change<Value> | Promise<Change<Value>>,
  ): Promise<StoredSetting<Value>>
  /** All secrets in settings that this server can decrypt. */
  secrets(): Promise<Secret[]>
}

interface Row {
  value: unknown
  sealed: Buffer | null
}

const placeOf = (name: string): string => `setting ${name}`

export function createSettings(sql: Sql, key: Secret): Settings {
  const keptIn = <Value>({ name, shape }: Setting<Value>, row: Row | undefined): StoredSetting<Value> | null => {
    if (!row) return null
    const secret = row.sealed && unseal(row.sealed, key, placeOf(name))
    return { value: shape.parse(row.value), secret, isSealedElsewhere: row.sealed !== null && secret === null }
  }
  const find = (inside: Sql, name: string, more = ''): Promise<Row[]> =>
    inside.query<Row>(`select value, sealed from setting where name = $1 ${more}`, [name])

  const readIn: Settings['readIn'] = async (inside, setting) => keptIn(setting, (await find(inside, setting.name))[0])
  async function changeIn<Value>(
    inside: Sql,
    setting: Setting<Value>,
    work: (kept: StoredSetting<Value> | null) => Change<Value> | Promise<Change<Value>>,
    record: () => Promise<void> = async () => undefined,
  ): Promise<StoredSetting<Value>> {
    const { name } = setting
    // the first change to a setting has no row to lock
    await inside.query('select pg_advisory_xact_lock(7208, hashtext($1))', [name])
    const [row] = await find(inside, name, 'for update')
    const kept = keptIn(setting, row)
    const { value, secret } = await work(kept)
    const sealed =
      secret === undefined ? (row?.sealed ?? null) : secret === null ? null : seal(secret, key, placeOf(name))
    await record()
    await inside.query(
      `insert into setting (name, value, sealed) values ($1, $2, $3)
        on conflict (name) do update set value = excluded.value, sealed = excluded.sealed, updated_at = now()`,
      [name, JSON.stringify(value), sealed],
    )
    return {
      value,
      secret: secret === undefined ? (kept?.secret ?? null) : secret,
      isSealedElsewhere: secret === undefined && (kept?.isSealedElsewhere ?? false),
    }
  }

  return {
    async secrets() {
      const rows = await sql.query<{ name: string; sealed: Buffer }>(
        'select name, sealed from setting where sealed is not null',
      )
      return rows.map(({ name, sealed }) => unseal(sealed, key, placeOf(name))).filter((secret) => secret !== null)
    },

    read: (setting) => readIn(sql, setting),
    readIn,

    change: (setting, work) => withRecord(sql, (inside, record) => changeIn(inside, setting, work, record)),

    changeIn: (inside, setting, work) => changeIn(inside, setting, work),
  }
}
