import type { CurrentUser } from '@mainstay/contract/identity/session'
import type { CallRequest } from '../../../http/serve'
import { currentUser } from '../../../session/current-user'
import type { NewSession, Sessions } from '../../../session/types'

/** Answers a sign-in that is complete: the browser gets the session's cookie, and one to be known again by. */
export function welcome(
  { signedIn, token, device }: NewSession,
  request: CallRequest,
  { lifetime }: Pick<Sessions, 'lifetime'>,
): CurrentUser {
  request.setSessionCookie(token, lifetime.sessionSeconds)
  if (device !== null) request.rememberDevice(device, lifetime.deviceSeconds)
  return currentUser(signedIn, signedIn.bound_project_id === null ? { token } : { scoped_token: token })
}
