import { Agent, request } from 'undici'
import type * as z from 'zod'
import { problem } from '@mainstay/contract/core/problems'
import type { S3Usage } from '@mainstay/contract/object-storage/s3-keys'
import type { S3OwnedAccount } from '../ports/object-storage'
import { canonicalQuery, UNSIGNED_PAYLOAD } from '../s3/signature/canonical'
import { signRequest } from '../s3/signature/sign'
import { RgwBuckets, RgwKeys, RgwRefusal, RgwUser } from './admin-shapes'
import type { RgwSettings } from './settings'

/** The usage category for complete objects. Other categories count the parts of unfinished uploads. */
const OBJECTS = 'rgw.main'
const sum = (numbers: readonly number[]): number => numbers.reduce((total, it) => total + it, 0)

type Query = readonly (readonly [string, string])[]
type Verb = 'GET' | 'PUT' | 'POST' | 'DELETE'

const CONNECT_WITHIN_MS = 3_000
const ANSWER_WITHIN_MS = 10_000
const MOST_BYTES = 16 * 1024 ** 2
const MOST_CONNECTIONS = 16

/** The gateway refused a request with one of its own error codes. */
export class RgwRefused extends Error {
  readonly code: string
  constructor(status: number, code: string) {
    super(`the gateway returned ${status} ${code}`)
    this.name = 'RgwRefused'
    this.code = code
  }
}

/** The gateway did not return a readable response. `reason` completes the sentence "It cannot be used:". */
export class RgwAway extends Error {
  readonly reason: string
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause })
    this.name = 'RgwAway'
    this.reason = reason
  }
}

/** The admin operations that the server uses. All reject with `RgwAway` or `RgwRefused`, and all can be retried. */
export interface RgwAdmin {
  /** Returns null if the user does not exist. */
  user(id: string): Promise<RgwUser | null>
  /** Returns the gateway user whose key signs the requests. */
  self(): Promise<RgwUser>
  createUser(id: string, name: string, suspended: boolean): Promise<void>
  setSuspended(id: string, suspended: boolean): Promise<void>
  /** Sets the quotas in bytes and in objects; null for no limit. */
  setQuota(id: string, quotas: Pick<S3OwnedAccount, 'quota' | 'quota_objects'>): Promise<void>
  /** Creates a key and returns its secret. The gateway generates the secret, so that it never appears in a URL. */
  makeKey(id: string, accessKey: string): Promise<string>
  removeKey(id: string, accessKey: string): Promise<void>
  /** Returns the current usage of all buckets of a user. */
  usage(id: string): Promise<S3Usage>
  close(): Promise<void>
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'it closed the connection',
  EHOSTUNREACH: 'there is no route to its address',
  ENETUNREACH: 'there is no route to its address',
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'its name could not be resolved',
  UND_ERR_CONNECT_TIMEOUT: 'it does not accept connections',
  UND_ERR_SOCKET: 'it closed the connection',
}
const isOfCertificate = (code: string) => /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/.test(code)

function away(error: unknown, signal: AbortSignal): RgwAway {
  if (signal.aborted) return new RgwAway(`it did not respond within ${ANSWER_WITHIN_MS / 1000} s`, error)
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  const { code = '' } = first as { code?: string }
  if (isOfCertificate(code)) return new RgwAway(`its certificate is not accepted (${code}); see MAINSTAY_RGW_CA`, error)
  return new RgwAway(words[code] ?? 'its response could not be understood', error)
}

export function createRgwAdmin({ adminEndpoint, accessKey, secretKey, region, ca }: RgwSettings): RgwAdmin {
  const { host } = new URL(adminEndpoint)
  const dispatcher = new Agent({
    connect: { timeout: CONNECT_WITHIN_MS, ...(ca !== null && { ca }) },
    connections: MOST_CONNECTIONS,
  })

  /** Returns the body of a response. Throws for any status other than 2xx. */
  async function ask(method: Verb, path: string, query: Query, body = ''): Promise<string> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
    // the gateway refuses signed bodies for most admin operations (501)
    const headers = signRequest(
      { method, path, query, headers: { host }, payload: UNSIGNED_PAYLOAD },
      { accessKey, secretKey: secretKey.reveal() },
      region,
    )
    let status: number
    let text = ''
    try {
      const answer = await request(`${adminEndpoint}${path}?${canonicalQuery(query)}`, {
        ...{ method, headers, dispatcher, signal, body: body === '' ? null : body },
      })
      status = answer.statusCode
      for await (const part of answer.body.setEncoding('utf8') as AsyncIterable<string>) {
        text += part
        if (text.length > MOST_BYTES) throw new RgwAway('its response is too large')
      }
    } catch (error) {
      throw error instanceof RgwAway ? error : away(error, signal)
    }
    if (status >= 200 && status < 300) return text
    const refusal = RgwRefusal.safeParse(jsonOf(text))
    if (status >= 500 || !refusal.success) throw new RgwAway(`it answers ${status}`)
    throw new RgwRefused(status, refusal.data.Code)
  }

  async function read<Shape extends z.ZodType>(shape: Shape, query: Query, path = '/admin/user', method: Verb = 'GET') {
    const parsed = shape.safeParse(jsonOf(await ask(method, path, query)))
    if (!parsed.success) throw new RgwAway('its response could not be understood', parsed.error)
    return parsed.data
  }

  return {
    user: (id) => unless(['NoSuchUser'], null, read(RgwUser, [['uid', id]])),
    self: () => read(RgwUser, [['access-key', accessKey]]),
    async createUser(id, name, suspended) {
      const query = [
        ...([
          ['uid', id],
          ['display-name', name],
        ] as const),
        ...([
          ['generate-key', 'false'],
          ['suspended', String(suspended)],
        ] as const),
      ]
      // another server may have created the user
      await unless(['UserAlreadyExists'], '', ask('PUT', '/admin/user', query))
    },
    async setSuspended(id, suspended) {
      await ask('POST', '/admin/user', [
        ['uid', id],
        ['suspended', String(suspended)],
      ])
    },
    async setQuota(id, { quota: bytes, quota_objects: objects }) {
      const quota = { enabled: bytes !== null || objects !== null, max_size: bytes ?? -1, max_objects: objects ?? -1 }
      await ask(
        'PUT',
        '/admin/user',
        [
          ['quota', ''],
          ['uid', id],
          ['quota-type', 'user'],
        ],
        JSON.stringify(quota),
      )
    },
    async makeKey(id, access) {
      const query = [
        ['key', ''],
        ['uid', id],
        ['access-key', access],
        ['generate-key', 'true'],
      ] as const
      const made = (await read(RgwKeys, query, '/admin/user', 'PUT')).find((key) => key.access_key === access)
      if (!made) throw new RgwAway('it created a different key than requested')
      return made.secret_key
    },
    async removeKey(id, access) {
      const gone = ['InvalidAccessKeyId', 'NoSuchUser', 'NoSuchKey']
      await unless(
        gone,
        '',
        ask('DELETE', '/admin/user', [
          ['key', ''],
          ['uid', id],
          ['access-key', access],
        ]),
      )
    },
    async usage(id) {
      const buckets = await read(
        RgwBuckets,
        [
          ['uid', id],
          ['stats', 'true'],
        ],
        '/admin/bucket',
      )
      return {
        buckets: buckets.length,
        objects: sum(buckets.map(({ usage }) => usage[OBJECTS]?.num_objects ?? 0)),
        size: sum(buckets.flatMap(({ usage }) => Object.values(usage).map(({ size }) => size))),
      }
    },
    close: () => dispatcher.destroy(),
  }
}

/** Returns `instead` if the gateway refuses the call with one of these codes. */
async function unless<Result, Instead>(codes: string[], instead: Instead, work: Promise<Result>) {
  try {
    return await work
  } catch (error) {
    if (error instanceof RgwRefused && codes.includes(error.code)) return instead
    throw error
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Converts an error for callers. Only operators see the details, in the service status. */
export function asProblemOfRgw(error: unknown): unknown {
  if (error instanceof RgwAway) return problem('objectStorage.away', { reason: error.reason }, { cause: error })
  if (error instanceof RgwRefused) return problem('objectStorage.refused', {}, { cause: error })
  return error
}
