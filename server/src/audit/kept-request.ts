import { LEFT_OUT, type TaskRequest } from '@mainstay/contract/core/tasks'
import { isSecretName } from './changes'

/** Lists and sockets carry tasks whole: one that was begun by more than this does not keep it. Characters of JSON. */
export const LONGEST_REQUEST = 4000

const withoutSecrets = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, inner: unknown) => {
      if (isSecretName(name) && inner !== null) return LEFT_OUT
      // PostgreSQL keeps no text with it
      return typeof inner === 'string' ? inner.replaceAll('\0', '\ufffd') : inner
    }),
  )

/** A call as it is kept with the tasks that it begins: without its secrets; null where it is too long. */
export function keptRequest({ verb, path, params, query, body }: TaskRequest): TaskRequest | null {
  const kept = {
    ...{ verb, path, params },
    ...{ query: withoutSecrets(query) as TaskRequest['query'], body: withoutSecrets(body) },
  }
  return JSON.stringify(kept).length > LONGEST_REQUEST ? null : kept
}
