import { parsePublicKey } from '@mainstay/contract/compute/ssh-key-rules'
import type { SshKey } from '@mainstay/contract/compute/ssh-keys'
import * as z from 'zod'
import { sshFingerprint } from '../../../ssh-fingerprint'
import { unreadableIn, type KindReader, type Reading } from '../../kind-reader'
import { readEach } from '../../read-each'
import { WireTime } from '../../wire-time'

/** First microversion that can read other users' keys. */
export const keyVersion = '2.10'

const KeyInList = z.object({ keypair: z.object({ name: z.string() }) })
const WireKey = z.object({
  keypair: z.object({
    name: z.string(),
    public_key: z.string(),
    user_id: z.string(),
    created_at: WireTime,
  }),
})

/**
 * Builds the ID of a key. Key names are unique only per user, so the ID combines user and name. User IDs contain no
 * `~`.
 */
export const keyId = (userId: string, name: string): string => `${userId}~${name}`

/** Returns null if this is not a key ID. */
export function readKeyId(id: string): { userId: string; name: string } | null {
  const at = id.indexOf('~')
  return at < 1 ? null : { userId: id.slice(0, at), name: id.slice(at + 1) }
}

export const keyPath = (userId: string, name: string): [path: string, query: { user_id: string }] => [
  `/os-keypairs/${encodeURIComponent(name)}`,
  { user_id: userId },
]

/** Builds the row for an SSH key; null for certificates. */
function keyOf({ keypair }: z.output<typeof WireKey>, domainId: string): SshKey | null {
  const key = parsePublicKey(keypair.public_key)
  if (typeof key === 'string') return null
  return {
    id: keyId(keypair.user_id, keypair.name),
    name: keypair.name,
    // Nova stores no descriptions
    description: '',
    type: key.type,
    public_key: [key.algorithm, key.blob, key.comment].filter(Boolean).join(' '),
    fingerprint: sshFingerprint(key.blob),
    weak: key.weak,
    project_id: null,
    domain_id: domainId,
    user_id: keypair.user_id,
    created_at: keypair.created_at,
  }
}

const User = z.object({ id: z.string(), domain_id: z.string() })
const Domain = z.object({ id: z.string() })

async function readKey({ caller }: Reading, userId: string, name: string, domainId: string, signal?: AbortSignal) {
  const [path, query] = keyPath(userId, name)
  return keyOf(
    await caller.get('compute', path, WireKey, { version: keyVersion, query, ...(signal && { signal }) }),
    domainId,
  )
}

async function keysOfUser(reading: Reading, { id, domain_id }: z.output<typeof User>, signal?: AbortSignal) {
  const options = { version: keyVersion, query: { user_id: id }, ...(signal && { signal }) }
  const names: string[] = []
  for await (const page of reading.caller.pages('compute', '/os-keypairs', 'keypairs', KeyInList, options)) {
    names.push(...page.map(({ keypair }) => keypair.name))
  }
  // lists do not include the creation time, so each key is read separately
  const tell = unreadableIn(reading, 'keypairs')
  const unreadable: typeof tell = tell && ((key) => tell({ ...key, id: key.id && keyId(id, key.id) }))
  const keys = await readEach(names, (name) => readKey(reading, id, name, domain_id, signal), unreadable)
  return [...keys.values()].filter((key) => key !== null)
}

/** All users' keys. The cloud lists keys by user, and users by domain. */
export const sshKeyReader: KindReader<SshKey> = {
  kind: 'key',
  service: 'compute',
  list: 'keypairs',

  async *all(reading, signal) {
    const { caller } = reading
    const more = signal ? { signal } : {}
    for await (const domains of caller.pages('identity', '/domains', 'domains', Domain, more)) {
      for (const { id: domain_id } of domains) {
        for await (const users of caller.pages('identity', '/users', 'users', User, {
          query: { domain_id },
          ...more,
        })) {
          const byId = new Map(users.map((user) => [user.id, user]))
          const keys = await readEach([...byId.keys()], (id) => keysOfUser(reading, byId.get(id)!, signal))
          yield [...keys.values()].flatMap((found) => found ?? [])
        }
      }
    }
  },

  async some(reading, ids, signal) {
    const readOne = async (id: string) => {
      const parts = readKeyId(id)
      if (!parts) return null
      const path = `/users/${encodeURIComponent(parts.userId)}`
      const shape = z.object({ user: User })
      const { user } = await reading.caller.get('identity', path, shape, signal ? { signal } : {})
      return readKey(reading, parts.userId, parts.name, user.domain_id, signal)
    }
    return readEach(ids, readOne, unreadableIn(reading, 'keypairs'))
  },

  isBusy: () => false,
}
