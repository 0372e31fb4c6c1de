import { useT } from '../../i18n/use-t'
import { safeRedirect } from '../../nav/redirect-url'
import { askedForProject } from '../../session/asked-for-project'
import { leaveForProvider } from '../../session/hand-over'
import { partsOfSignIn } from '../../nav/sign-in-place'
import { useCredentials } from './use-credentials'

/**
 * Redirects from the sign-in page at `place` to a provider and remembers the redirects in the URL. `typed` is the
 * domain if the URL does not contain one.
 */
export function useProvider(place: string, providerId: string, typed = '') {
  const t = useT('shell')
  return useCredentials(t, () => {
    const { pathname, search, searchParams } = new URL(place, 'http://console.invalid')
    return leaveForProvider(providerId, {
      domain: partsOfSignIn(place).domain ?? (typed || null),
      projectId: askedForProject(search),
      successRedirect: safeRedirect(searchParams.get('redirectUrl')),
      failureRedirect: pathname,
    })
  })
}
