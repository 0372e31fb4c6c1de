import { LEFT_OUT, type TaskRequest } from '@mainstay/contract/core/tasks'
import { isSecretName } from './changes'

/** Maximum length of a stored request as JSON, in characters. Task lists and socket messages include the requests. */
export const LONGEST_REQUEST = 4000

const withoutSecrets = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, inner: unknown) => {
      if (isSecretName(name) && inner !== null) return LEFT_OUT
      // PostgreSQL cannot store NUL
      return typeof inner === 'string' ? inner.replaceAll('\0', '\ufffd') : inner
    }),
  )

/** Converts a call to the form stored with the tasks that it starts: without secrets; null if it is too long. */
export function keptRequest({ verb, path, params, query, body }: TaskRequest): TaskRequest | null {
  const kept = {
    ...{ verb, path, params },
    ...{ query: withoutSecrets(query) as TaskRequest['query'], body: withoutSecrets(body) },
  }
  return JSON.stringify(kept).length > LONGEST_REQUEST ? null : kept
}
