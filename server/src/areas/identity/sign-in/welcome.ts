import type { CurrentUser } from '@mainstay/contract/identity/session'
import type { CallRequest } from '../../../http/serve'
import { currentUser } from '../../../session/current-user'
import type { NewSession, Sessions } from '../../../session/types'

/** Completes a sign-in by setting the session cookie and a cookie that identifies the device in the future. */
export function welcome(
  { signedIn, token, device }: NewSession,
  request: CallRequest,
  { lifetime }: Pick<Sessions, 'lifetime'>,
): CurrentUser {
  request.setSessionCookie(token, lifetime.sessionSeconds)
  if (device !== null) request.rememberDevice(device, lifetime.deviceSeconds)
  return currentUser(signedIn, signedIn.bound_project_id === null ? { token } : { scoped_token: token })
}
