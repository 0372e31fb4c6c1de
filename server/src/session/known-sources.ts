import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Sql } from '@mainstay/engines/ports/engines'

/** Days without a sign-in after which a source is forgotten. */
export const SOURCE_DAYS = 90
/** Maximum number of sources per user. The least recently used ones are dropped. */
const MOST_SOURCES = 50
const DAY_MS = 24 * 3600 * 1000

/** Where a request comes from. `device`, if available, distinguishes browsers at the same address. */
export interface CallSource {
  address: string
  device?: string | null
}

/** Hashes of devices and addresses from which users have signed in. */
export interface KnownSources {
  /** The source to count for this user: the device if it is known, otherwise the address. */
  find(user: string, from: CallSource): Promise<{ source: string; isKnown: boolean }>
  remember(user: string, from: CallSource): Promise<void>
  prune(): Promise<void>
}

/**
 * The network of a single subscriber: an IPv4 address, or the /64 prefix of an IPv6 address, because hosts are free to
 * choose the rest.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const [before = '', after] = plain.split('::')
  const groups = (text: string | undefined) => (text ? text.split(':') : [])
  const [head, tail] = [groups(before), groups(after)]
  const zeros = after === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail]
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')
}

const hash = (...texts: string[]) => createHash('sha256').update(texts.join('\n')).digest('hex')

export function createKnownSources(sql: Sql, now: () => Date = () => new Date()): KnownSources {
  const sourcesOf = ({ address, device }: CallSource) => ({
    address: hash('address', networkOf(address)),
    device: device ? hash('device', device) : null,
  })
  const before = (days: number) => new Date(now().getTime() - days * DAY_MS)

  return {
    async find(user, from) {
      const { address, device } = sourcesOf(from)
      const rows = await sql.query<{ source: string }>(
        'select source from sign_in_source where user_key = $1 and source = any($2::text[]) and last_at > $3',
        [hash('user', user), [address, device], before(SOURCE_DAYS)],
      )
      const known = rows.map(({ source }) => source)
      if (device !== null && known.includes(device)) return { source: device, isKnown: true }
      return { source: address, isKnown: known.includes(address) }
    },

    async remember(user, from) {
      const { address, device } = sourcesOf(from)
      const userKey = hash('user', user)
      const made = await sql.query(
        `insert into sign_in_source as known (user_key, source, last_at)
          select $1, source, $3 from unnest($2::text[]) source order by source
          on conflict (user_key, source) do update set last_at = excluded.last_at where known.last_at < $4
          returning source`,
        [userKey, [address, ...(device === null ? [] : [device])], now(), before(1)],
      )
      if (made.length > 0)
        await sql.query(
          `delete from sign_in_source where user_key = $1 and source in
            (select source from sign_in_source where user_key = $1 order by last_at desc, source offset $2)`,
          [userKey, MOST_SOURCES],
        )
    },

    async prune() {
      await sql.query('delete from sign_in_source where last_at < $1', [before(SOURCE_DAYS)])
    },
  }
}
