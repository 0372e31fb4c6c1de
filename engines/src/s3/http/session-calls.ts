import type { Log } from '../../ports/records'
import type { S3SessionCall } from '../../ports/object-storage'
import { S3Error } from '../errors'
import { newCallId, readAddress, type S3Call } from './call'
import { perform } from './dispatch'
import type { S3Store } from './operations'
import { refuse } from './refuse'

/** Placeholder for a signature: the session identifies the user, so there is no access key. */
const BY_SESSION = { accessKey: '', version: 4, isInQuery: false, chunks: null } as const

/**
 * Handles requests that are authenticated by a session in the same way as signed requests. Never rejects; errors are
 * sent in the response.
 */
export function createSessionCalls(
  store: S3Store,
  { isAvailable, log }: { isAvailable: () => boolean; log: Log },
): (call: S3SessionCall) => Promise<void> {
  return async ({ owner, address, payload, body, shown, ...given }) => {
    const id = newCallId()
    const { method, response } = given
    const begin: S3Call['begin'] = (status, headers) => {
      const told = Object.entries({ ...headers, 'x-amz-request-id': id }).map(([name, value]) => [name, String(value)])
      response.writeHead(status, shown(Object.fromEntries(told)))
    }
    try {
      if (!isAvailable()) throw new S3Error('ServiceUnavailable', 'Object storage is disabled')
      const { bucket, key } = readAddress(address.path)
      await store.accounts.ensure(owner)
      const signed = { ...BY_SESSION, payload }
      const call: S3Call = {
        ...{ ...given, id, bucket, key, query: address.query, body, begin, signed },
        ...{ isWaiting: false, isBucketInHost: false, userId: owner.user_id },
      }
      await perform(call, store)
    } catch (error) {
      const how = {
        id,
        method,
        path: address.path,
        isRead: true,
        response,
        begin,
        ...(given.told && { told: given.told }),
      }
      await refuse(error, how, log).catch((err: unknown) => {
        log.error({ err, request: id }, 'failed to answer an object storage request')
        response.destroy()
      })
    }
  }
}
