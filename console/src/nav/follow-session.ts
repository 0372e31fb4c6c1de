import { minutesAway } from '../session/leave-time'
import { useSession } from '../session/session'
import type { ConsoleRouter } from './build-router'
import { addressText, type Where } from './guard'
import { iframeSignIn, isIframePlace } from './iframe'
import { landingPath } from './landing'
import { paths } from './paths'

/** Navigates when the session changes: sign-out, disabled access, a different scope (S1§4). */
export function followSession(router: ConsoleRouter): () => void {
  const go = (to: string, search: Record<string, string> = {}) => void router.navigate({ to, search })
  const here = () => router.state.location as unknown as Where

  return useSession.subscribe((session, before) => {
    if (before.status !== 'signed-out' && before.status !== 'signing-in' && session.status === 'signed-out') {
      const isOnSignIn = here().pathname.startsWith('/login')
      if (isIframePlace(here().pathname)) return void router.navigate({ href: iframeSignIn(addressText(here())) })
      const away = minutesAway()
      if (!isOnSignIn && !session.accessDisabled)
        go(paths.login(session.domain), {
          ...(here().pathname !== '/' && { redirectUrl: addressText(here()) }),
          // keeps the message about the idle sign-out until the next sign-in
          ...(away !== null && { idle: String(away) }),
          // the user is still signed in at the identity provider, so sign-in must not start automatically
          ...(before.user?.external_provider && { logout: 'true' }),
        })
    }
    if (session.accessDisabled && !before.accessDisabled) go(paths.error.accessDisabled())
    if (before.accessDisabled && !session.accessDisabled && session.user) go(paths.home())
    if (before.status === 'switching' && session.status === 'signed-in') go(landingPath(session))
  })
}
