import { call } from '../api/call'
import { session } from '@mainstay/contract/identity/session'
import { setSession, sessionNow } from './session'

let loading: { token: string | null; reply: Promise<void> } | undefined

async function load(token: string | null) {
  const meta = await call(session.meta, {})
  if (sessionNow().scopedToken === token) setSession({ meta, accessDisabled: null })
}

/** Loads permissions and services for the current scope. Concurrent calls share one request. */
export function loadMeta(): Promise<void> {
  const token = sessionNow().scopedToken
  if (loading?.token === token) return loading.reply
  const reply = load(token).finally(() => {
    if (loading?.reply === reply) loading = undefined
  })
  loading = { token, reply }
  return reply
}

/** Used by the route guard: resolves immediately if they are already loaded. */
export const metaReady = (): Promise<void> => (sessionNow().meta ? Promise.resolve() : loadMeta())
