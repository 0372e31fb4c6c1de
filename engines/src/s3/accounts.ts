import { createHash, randomBytes } from 'node:crypto'
import { notFound } from '@mainstay/contract/core/problems'
import type { NewS3Key, S3Key } from '@mainstay/contract/object-storage/s3-keys'
import type { Seals } from '../ports/engine'
import type { Sql } from '../ports/engines'
import { Secret } from '../ports/secret'
import type { S3Accounts, S3OwnedAccount, S3Owner } from '../ports/object-storage'
import { askBarrier, checkKeyCount, isDomainEnabled, SET_DOMAIN_ENABLED } from './account-rules'
import { arnOf, newAccessKey } from './names'
import type { IsActive } from './people'

/* Accounts with their access keys and quotas, and whether object storage is enabled for a domain. */

/** The owner and the secret of a valid access key. */
export interface Signatory {
  userId: string
  secret: string
  /** Whether this is the hidden key that the console uses to sign requests for the user. */
  isConsole: boolean
}

export interface Accounts extends S3Accounts {
  /**
   * Returns the owner and secret of an access key. Null if the key is unknown or disabled, if its owner or their domain
   * is disabled, or if the owner is not allowed to use S3.
   */
  signatory(accessKey: string): Promise<Signatory | null>
  /** Creates the user's account if it does not exist. */
  ensure(owner: S3Owner): Promise<void>
  /** Returns the owner's quotas in bytes and objects; null means unlimited. */
  quotaOf(userId: string): Promise<Pick<S3OwnedAccount, 'quota' | 'quota_objects'>>
}

/** Minimum interval between updates of `last_used_at`. */
const USE_NOTED_EVERY_MS = 60_000

const MOST_ENSURED = 10_000

/** Default object quota for new accounts. Limited, because every object takes up rows in the shared database. */
const FIRST_QUOTA_OBJECTS = 1_000_000

interface KeyRow {
  access_key: string
  user_id: string
  secret: Buffer
  name: string | null
  enabled: boolean
  created_at: Date
  last_used_at: Date | null
}
interface AccountRow {
  user_id: string
  domain_id: string
  enabled: boolean
  quota: number | null
  quota_objects: number | null
  keys: (Omit<KeyRow, 'created_at' | 'last_used_at'> & { created_at: string; last_used_at: string | null })[]
  buckets: number
  bytes: number
  objects: number
}

const time = (at: Date | string | null) => (at === null ? null : new Date(at).toISOString())
const shown = (
  row: Pick<KeyRow, 'access_key' | 'name' | 'enabled'> & {
    created_at: Date | string
    last_used_at: Date | string | null
  },
): S3Key => ({
  acc_key: row.access_key,
  name: row.name,
  enabled: row.enabled,
  created_at: time(row.created_at)!,
  last_used_at: time(row.last_used_at),
})

// usage is the consolidated totals plus all later deltas
const accountColumns = `a.user_id, a.domain_id, a.enabled, a.quota, a.quota_objects,
  coalesce((select jsonb_agg(to_jsonb(k) - 'secret' order by k.created_at, k.access_key)
            from s3_key k where k.user_id = a.user_id and not k.hidden), '[]') as keys,
  (select count(*)::int from s3_bucket b where b.owner = a.user_id) as buckets,
  used.bytes, used.objects
  from s3_account a cross join lateral (
    select coalesce(sum(bytes), 0)::bigint as bytes, coalesce(sum(objects), 0)::bigint as objects from (
      select u.bytes, u.objects from s3_bucket b join s3_usage u on u.bucket_id = b.id where b.owner = a.user_id
      union all
      select d.bytes, d.objects from s3_bucket b join s3_usage_delta d on d.bucket_id = b.id where b.owner = a.user_id
    ) each
  ) used`

const shownAccount = ({
  user_id,
  domain_id,
  enabled,
  quota,
  quota_objects,
  keys,
  buckets,
  bytes,
  objects,
}: AccountRow): S3OwnedAccount => ({
  ...{ user_id, domain_id, arn: arnOf(user_id), enabled, quota, quota_objects },
  keys: keys.map(shown),
  usage: { buckets, objects, size: bytes },
})

const newSecret = () => randomBytes(30).toString('base64').replaceAll('+', 'a').replaceAll('/', 'b')
const place = (accessKey: string) => `s3_key:${accessKey}`

/** Opens the accounts. `firstQuota` returns the default quota for new accounts in bytes. */
export function openAccounts(
  sql: Sql,
  { seals, isActive, firstQuota }: { seals: Seals; isActive: IsActive; firstQuota: () => Promise<number> },
): Accounts {
  const noted = new Map<string, number>()
  /** IDs of users known to have an account. Accounts are never deleted. */
  const ensured = new Set<string>()

  async function view(userId: string): Promise<S3OwnedAccount | null> {
    const [row] = await sql.query<AccountRow>(`select ${accountColumns} where a.user_id = $1`, [userId])
    return row ? shownAccount(row) : null
  }

  // no conflict target: concurrent inserts can also collide on the canonical ID, which must also be unique
  const makeAccount = async (tx: Pick<Sql, 'query'>, { user_id, domain_id }: S3Owner) =>
    tx.query(
      `insert into s3_account (user_id, domain_id, quota, quota_objects) values ($1, $2, $3, $4) on conflict do nothing`,
      [user_id, domain_id, await firstQuota(), FIRST_QUOTA_OBJECTS],
    )

  async function makeKey(tx: Sql, userId: string, name: string | null, hidden: boolean): Promise<NewS3Key> {
    const [acc_key, sec_key] = [newAccessKey(), newSecret()]
    const sealed = seals.seal(new Secret(sec_key), place(acc_key))
    const [row] = await tx.query<KeyRow>(
      `insert into s3_key (access_key, user_id, secret, name, hidden) values ($1, $2, $3, $4, $5) returning *`,
      [acc_key, userId, sealed, name, hidden],
    )
    return { ...shown(row!), sec_key }
  }

  return {
    async account({ user_id, domain_id }, make) {
      if (make) await makeAccount(sql, { user_id, domain_id })
      return view(user_id)
    },
    async ensure(owner) {
      if (ensured.has(owner.user_id)) return
      await makeAccount(sql, owner)
      if (ensured.size >= MOST_ENSURED) ensured.clear()
      ensured.add(owner.user_id)
    },
    barrierOf: askBarrier(sql, 's3_account'),
    async accounts(domainId, marker = '', count) {
      const rows = await sql.query<AccountRow>(
        `select ${accountColumns} where ($1::text is null or a.domain_id = $1) and a.user_id > $2
         order by a.user_id limit $3`,
        [domainId, marker, count],
      )
      return rows.map(shownAccount)
    },
    async updateAccount(userId, { enabled, quota, quota_objects }) {
      await sql.query(
        `update s3_account set enabled = coalesce($2, enabled), quota = case when $3 then $4::bigint else quota end,
           quota_objects = case when $5 then $6::bigint else quota_objects end
         where user_id = $1`,
        [
          ...[userId, enabled ?? null, quota !== undefined, quota ?? null],
          ...[quota_objects !== undefined, quota_objects ?? null],
        ],
      )
      const account = await view(userId)
      if (!account) throw notFound()
      return account
    },
    createKey: (userId, name) =>
      sql.transaction(async (tx) => {
        const there = await tx.query('select 1 from s3_account where user_id = $1 for update', [userId])
        if (there.length === 0) throw notFound()
        const keys = await tx.query('select 1 from s3_key where user_id = $1 and not hidden', [userId])
        checkKeyCount(keys.length)
        return makeKey(tx, userId, name, false)
      }),
    async updateKey(userId, accessKey, { enabled, name }) {
      const [row] = await sql.query<KeyRow>(
        `update s3_key set enabled = coalesce($3, enabled), name = coalesce($4, name)
         where access_key = $2 and user_id = $1 and not hidden returning *`,
        [userId, accessKey, enabled ?? null, name ?? null],
      )
      if (!row) throw notFound()
      return shown(row)
    },
    async deleteKey(userId, accessKey) {
      const gone = await sql.query(
        'delete from s3_key where access_key = $2 and user_id = $1 and not hidden returning access_key',
        [userId, accessKey],
      )
      if (gone.length === 0) throw notFound()
    },
    async signer({ user_id: userId, domain_id }) {
      const known = async (tx: Sql) => {
        const [row] = await tx.query<KeyRow>('select * from s3_key where user_id = $1 and hidden limit 1', [userId])
        const secret = row && seals.unseal(row.secret, place(row.access_key))
        return secret ? { accessKey: row.access_key, secretKey: secret.reveal() } : null
      }
      return (
        (await known(sql)) ??
        sql.transaction(async (tx) => {
          await makeAccount(tx, { user_id: userId, domain_id })
          await tx.query('select 1 from s3_account where user_id = $1 for update', [userId])
          const made = await known(tx)
          if (made) return made
          // a key that cannot be unsealed was sealed by another installation
          await tx.query('delete from s3_key where user_id = $1 and hidden', [userId])
          const { acc_key, sec_key } = await makeKey(tx, userId, null, true)
          return { accessKey: acc_key, secretKey: sec_key }
        })
      )
    },
    async ownSigner(userId, accessKey) {
      const [row] = await sql.query<KeyRow>(
        'select * from s3_key where access_key = $2 and user_id = $1 and enabled and not hidden',
        [userId, accessKey],
      )
      const secret = row && seals.unseal(row.secret, place(accessKey))
      if (!secret) throw notFound()
      return { accessKey, secretKey: secret.reveal() }
    },
    isDomainEnabled: (domainId) => isDomainEnabled(sql, domainId),
    async setDomainEnabled(domainId, enabled) {
      await sql.query(SET_DOMAIN_ENABLED, [domainId, enabled])
    },
    async signatory(accessKey) {
      const [row] = await sql.query<Pick<KeyRow, 'user_id' | 'secret'> & { hidden: boolean }>(
        `select k.user_id, k.secret, k.hidden from s3_key k join s3_account a using (user_id)
         left join s3_domain d using (domain_id)
         where k.access_key = $1 and k.enabled and a.enabled and coalesce(d.enabled, true)`,
        [accessKey],
      )
      const secret = row && seals.unseal(row.secret, place(accessKey))
      if (!secret || !(await isActive(row.user_id))) return null
      if (Date.now() - (noted.get(accessKey) ?? 0) > USE_NOTED_EVERY_MS) {
        if (noted.size > 10_000) noted.clear()
        noted.set(accessKey, Date.now())
        await sql.query('update s3_key set last_used_at = now() where access_key = $1', [accessKey])
      }
      return { userId: row.user_id, secret: secret.reveal(), isConsole: row.hidden }
    },
    async quotaOf(userId) {
      const [row] = await sql.query<Pick<AccountRow, 'quota' | 'quota_objects'>>(
        'select quota, quota_objects from s3_account where user_id = $1',
        [userId],
      )
      return row ?? { quota: null, quota_objects: null }
    },
  }
}

/** Returns a user's canonical ID, which appears in grants and as the owner. It does not reveal the user ID. */
export const canonicalIdOf = (userId: string): string => createHash('sha256').update(`s3:${userId}`).digest('hex')
