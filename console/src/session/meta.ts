import { call } from '../api/call'
import { session } from '@mainstay/contract/identity/session'
import { setSession, sessionNow } from './session'

let loading: { token: string | null; reply: Promise<void> } | undefined

async function load(token: string | null) {
  const meta = await call(session.meta, {})
  if (sessionNow().scopedToken === token) setSession({ meta, accessDisabled: null })
}

/** Fetches permissions and services of the present scope. Two that ask at once get one answer. */
export function loadMeta(): Promise<void> {
  const token = sessionNow().scopedToken
  if (loading?.token === token) return loading.reply
  const reply = load(token).finally(() => {
    if (loading?.reply === reply) loading = undefined
  })
  loading = { token, reply }
  return reply
}

/** For the guard: at once when they are here. */
export const metaReady = (): Promise<void> => (sessionNow().meta ? Promise.resolve() : loadMeta())
