import { notFound, problem } from '@mainstay/contract/core/problems'
import type { S3Key } from '@mainstay/contract/object-storage/s3-keys'
import pLimit from 'p-limit'
import type { Sql } from '../ports/engines'
import type { ObjectStoragePort, S3Accounts, S3OwnedAccount, S3Owner, S3Signer } from '../ports/object-storage'
import { askBarrier, checkKeyCount, isDomainEnabled, SET_DOMAIN_ENABLED } from '../s3/account-rules'
import { arnOf, newAccessKey } from '../s3/names'
import { asProblemOfRgw, type RgwAdmin } from './admin-client'
import type { RgwUser } from './admin-shapes'
import type { AccountRow, Settle } from './settle'

/*
 * S3 accounts on the gateway. Gateway users have the same IDs as console users; the gateway generates and stores the
 * keys' secrets.
 */

export type Accounts = S3Accounts & Pick<ObjectStoragePort, 'setAvailable'>

interface KeyRow {
  access_key: string
  name: string | null
  created_at: Date
}

/** How long a signer is cached, in milliseconds. Limited, because the gateway may lose the key. */
const SIGNER_FOR_MS = 60_000
const MOST_SIGNERS = 10_000
const ASKED_AT_ONCE = 8

const shown = ({ access_key, name, created_at }: KeyRow): S3Key => ({
  ...{ acc_key: access_key, name, enabled: true, created_at: created_at.toISOString() },
  // the gateway does not report when a key was last used
  last_used_at: null,
})

export function openAccounts({ sql, admin, settle }: { sql: Sql; admin: RgwAdmin; settle: Settle }): Accounts {
  const signers = new Map<string, { until: number; signer: S3Signer }>()
  const asking = pLimit(ASKED_AT_ONCE)

  const rowOf = async (userId: string): Promise<AccountRow | null> => {
    const [row] = await sql.query<AccountRow>('select * from rgw_account where user_id = $1', [userId])
    return row ?? null
  }
  const keysOf = (tx: Sql, userId: string) =>
    tx.query<KeyRow>(
      `select access_key, name, created_at from rgw_key where user_id = $1 and not hidden
       order by created_at, access_key`,
      [userId],
    )

  /** Converts the quotas of a gateway user. The gateway represents no limit as -1. */
  const quotaOf = (user: RgwUser | null) => {
    const { enabled = false, max_size = -1, max_objects = -1 } = user?.user_quota ?? {}
    const told = (limit: number) => (enabled && limit >= 0 ? limit : null)
    return { quota: told(max_size), quota_objects: told(max_objects) }
  }

  async function view({ user_id, domain_id, enabled }: AccountRow): Promise<S3OwnedAccount> {
    const [user, usage, rows] = await Promise.all([
      asking(() => admin.user(user_id)),
      asking(() => admin.usage(user_id)),
      keysOf(sql, user_id),
    ])
    const there = new Set(user?.keys.map((key) => key.access_key))
    return {
      ...{ user_id, domain_id, arn: arnOf(user_id), enabled, usage },
      keys: rows.filter((row) => there.has(row.access_key)).map(shown),
      ...quotaOf(user),
    }
  }

  /** Creates a key on the gateway first, and then its row in the transaction that holds the account lock. */
  async function makeKey(tx: Sql, userId: string, name: string | null, hidden: boolean) {
    const access = newAccessKey()
    const secret = await admin.makeKey(userId, access)
    const [row] = await tx.query<KeyRow>(
      'insert into rgw_key (access_key, user_id, name, hidden) values ($1, $2, $3, $4) returning *',
      [access, userId, name, hidden],
    )
    return { row: row!, secret }
  }

  async function hiddenKey(tx: Sql, { user_id, keys }: RgwUser): Promise<S3Signer> {
    const rows = await tx.query<KeyRow>('select * from rgw_key where user_id = $1 and hidden', [user_id])
    const known = keys.find((key) => rows.some((row) => row.access_key === key.access_key))
    if (known) return { accessKey: known.access_key, secretKey: known.secret_key }
    const { row, secret } = await makeKey(tx, user_id, null, true)
    return { accessKey: row.access_key, secretKey: secret }
  }

  const addRow = ({ user_id, domain_id }: S3Owner) =>
    sql.query('insert into rgw_account (user_id, domain_id) values ($1, $2) on conflict (user_id) do nothing', [
      user_id,
      domain_id,
    ])
  /** Throws a `not_found` error if there is no account. */
  const inAccount = async <Result>(userId: string, work: Parameters<typeof settle.one<Result>>[1] & object) => {
    if (!(await rowOf(userId))) throw notFound()
    return (await settle.one(userId, work))!
  }

  async function setForMany(text: string, values: readonly unknown[], of: string | null): Promise<void> {
    const changed = await sql.transaction(async (tx) => {
      await tx.query(text, values)
      return tx.query<{ user_id: string }>(
        'update rgw_account set pending = true where $1::text is null or domain_id = $1 returning user_id',
        [of],
      )
    })
    await settle.all(changed.map(({ user_id }) => user_id))
  }

  const accounts: Accounts = {
    async account(owner, make) {
      if (make) {
        await addRow(owner)
        const [pending] = await sql.query('select 1 from rgw_account where user_id = $1 and pending', [owner.user_id])
        if (pending) await settle.one(owner.user_id, () => Promise.resolve())
      }
      const row = await rowOf(owner.user_id)
      return row && view(row)
    },
    barrierOf: askBarrier(sql, 'rgw_account'),
    async accounts(domainId, marker = '', count) {
      const rows = await sql.query<AccountRow>(
        `select * from rgw_account where ($1::text is null or domain_id = $1) and user_id > $2 order by user_id limit $3`,
        [domainId, marker, count],
      )
      return Promise.all(rows.map(view))
    },
    async updateAccount(userId, { enabled, ...change }) {
      await sql.query(
        'update rgw_account set enabled = coalesce($2, enabled), pending = pending or $2 is not null where user_id = $1',
        [userId, enabled ?? null],
      )
      await inAccount(userId, async () => {
        if (Object.keys(change).length > 0)
          await admin.setQuota(userId, { ...quotaOf(await admin.user(userId)), ...change })
      })
      return view((await rowOf(userId))!)
    },
    createKey: (userId, name) =>
      inAccount(userId, async ({ tx }) => {
        checkKeyCount((await keysOf(tx, userId)).length)
        const { row, secret } = await makeKey(tx, userId, name, false)
        return { ...shown(row), sec_key: secret }
      }),
    async updateKey(userId, accessKey, { enabled, name }) {
      const [row] = await sql.query<KeyRow>(
        'select * from rgw_key where access_key = $2 and user_id = $1 and not hidden',
        [userId, accessKey],
      )
      if (!row) throw notFound()
      if (enabled === false) throw problem('objectStorage.keys_not_disabled')
      if (name === undefined) return shown(row)
      const [named] = await sql.query<KeyRow>('update rgw_key set name = $2 where access_key = $1 returning *', [
        accessKey,
        name,
      ])
      if (!named) throw notFound()
      return shown(named)
    },
    deleteKey: (userId, accessKey) =>
      inAccount(userId, async ({ tx }) => {
        const gone = await tx.query(
          'delete from rgw_key where access_key = $2 and user_id = $1 and not hidden returning access_key',
          [userId, accessKey],
        )
        if (gone.length === 0) throw notFound()
        await admin.removeKey(userId, accessKey)
      }),
    async signer(owner) {
      const known = signers.get(owner.user_id)
      if (known && known.until > performance.now()) return known.signer
      await addRow(owner)
      const signer = await inAccount(owner.user_id, ({ tx, user }) => hiddenKey(tx, user))
      if (signers.size >= MOST_SIGNERS) signers.clear()
      signers.set(owner.user_id, { until: performance.now() + SIGNER_FOR_MS, signer })
      return signer
    },
    async ownSigner(userId, accessKey) {
      const mine = (await keysOf(sql, userId)).some((row) => row.access_key === accessKey)
      const user = mine ? await asking(() => admin.user(userId)) : null
      const key = user?.keys.find((it) => it.access_key === accessKey)
      if (!key) throw notFound()
      return { accessKey, secretKey: key.secret_key }
    },
    isDomainEnabled: (domainId) => isDomainEnabled(sql, domainId),
    setDomainEnabled: (domainId, enabled) => setForMany(SET_DOMAIN_ENABLED, [domainId, enabled], domainId),
    setAvailable: (available) =>
      setForMany(
        'insert into s3_state (available) values ($1) on conflict (one) do update set available = $1',
        [available],
        null,
      ),
  }
  return Object.fromEntries(
    Object.entries(accounts).map(([name, command]) => [
      name,
      (...given: never[]) =>
        (command as (...given: never[]) => Promise<unknown>)(...given).catch((error: unknown) => {
          throw asProblemOfRgw(error)
        }),
    ]),
  ) as unknown as Accounts
}
