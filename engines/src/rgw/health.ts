import type { S3Service } from '@mainstay/contract/object-storage/s3-service'
import { RgwAway, RgwRefused, type RgwAdmin } from './admin-client'
import type { RgwUser } from './admin-shapes'

/** The state of the gateway, with advice for operators. */
export type Health = Pick<S3Service, 'detail'> & { state: 'healthy' | 'degraded' | 'failed' }

/** The capabilities (caps) that the server requires on the gateway. */
export const NEEDED_CAPS = 'users=*;buckets=read'
const needed = [
  { type: 'users', perm: ['*', 'read, write'] },
  { type: 'buckets', perm: ['*', 'read, write', 'read'] },
]
const SLOW_MS = 2_000

const commandFor = (uid: string) => `radosgw-admin caps add --uid='${uid}' --caps='${NEEDED_CAPS}'`

function capsFault({ user_id, caps }: RgwUser): string | null {
  const missing = needed.filter(({ type, perm }) => !caps.some((cap) => cap.type === type && perm.includes(cap.perm)))
  if (missing.length === 0) return null
  const types = missing.map(({ type }) => type).join(' and ')
  return `The gateway's user ${user_id} lacks permissions for ${types}. Grant them: ${commandFor(user_id)}`
}

const refusals: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'The gateway does not know the access key. Check MAINSTAY_RGW_ACCESS_KEY',
  SignatureDoesNotMatch: 'The gateway does not accept the secret key. Check MAINSTAY_RGW_SECRET_KEY',
  RequestTimeTooSkewed: 'The clocks of the gateway and of this server differ. Synchronize them',
  UserSuspended: "The gateway's user for this server is suspended. Enable it: radosgw-admin user enable",
  AccessDenied: `The gateway's user for this server lacks permissions. Grant them: ${commandFor('ITS NAME')}`,
}

/** Checks the gateway. Never rejects. */
export async function lookAt(admin: RgwAdmin, endpoint: string): Promise<Health> {
  const began = performance.now()
  try {
    const fault = capsFault(await admin.self())
    if (fault !== null) return { state: 'failed', detail: fault }
    const tookMs = performance.now() - began
    if (tookMs < SLOW_MS) return { state: 'healthy', detail: null }
    const seconds = (tookMs / 1000).toFixed(1)
    return {
      state: 'degraded',
      detail: `The gateway took ${seconds} s to respond. Check its load and the Ceph cluster behind it`,
    }
  } catch (error) {
    const told =
      error instanceof RgwRefused
        ? (refusals[error.code] ?? `The gateway refused a request of the server: ${error.code}`)
        : `The gateway at ${endpoint} cannot be used: ${error instanceof RgwAway ? error.reason : String(error)}. ` +
          'Check that it is running, and check MAINSTAY_RGW_ENDPOINT'
    return { state: 'failed', detail: told }
  }
}
