import type { Access } from '@mainstay/contract/core/endpoint'
import { redirect } from '@tanstack/react-router'
import { mayNow } from '../session/may'
import { metaReady } from '../session/meta'
import { sessionNow } from '../session/session'
import { paths } from './paths'
import { signInPlace } from './sign-in-place'

export interface Where {
  pathname: string
  searchStr: string
  hash: string
}

export const addressText = ({ pathname, searchStr, hash }: Where) => `${pathname}${searchStr}${hash && `#${hash}`}`

/** Redirects an anonymous user to their domain’s sign-in page, with the return URL. */
export const redirectToSignIn = (where: Where): never =>
  redirect({ href: signInPlace(addressText(where), sessionNow().domain), throw: true }) as never

/** Runs before every route (S1§2): requires a session, loads the permissions and checks them. */
export async function guard(needs: Access, where: Where) {
  if (needs === 'public') return
  if (!sessionNow().user) redirectToSignIn(where)
  await metaReady()
  // loading the permissions may have ended the session or revealed that access is disabled
  const { user, accessDisabled } = sessionNow()
  if (!user) redirectToSignIn(where)
  if (accessDisabled) redirect({ to: paths.error.accessDisabled(), throw: true })
  if (!mayNow(needs)) redirect({ to: paths.error.forbidden(), throw: true })
}
