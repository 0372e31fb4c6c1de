import { iframeSignIn, isIframePlace } from './iframe'
import { paths } from './paths'

const signInPage = /^\/login(?=[/?#]|$)/

/** Paths that redirect anonymous users to sign-in without a return URL. */
export const isSignInPlace = (place: string) => place === '/' || signInPage.test(place)

/** Decodes a path segment; returns it unchanged if it is malformed. */
function plain(step: string | undefined): string | undefined {
  try {
    return step === undefined ? undefined : decodeURIComponent(step)
  } catch {
    return step
  }
}

/** The domain and the identity provider in the path of a sign-in page. */
export function partsOfSignIn(place: string): { domain: string | undefined; provider: string | undefined } {
  const [, domain, provider] = /^\/login\/([^/?#]+)(?:\/([^/?#]+))?/.exec(place) ?? []
  return { domain: plain(domain), provider: plain(provider) }
}

/** Redirect target for anonymous users: the domain's sign-in page, with the return URL. */
export function signInPlace(place: string, domain: string | null): string {
  if (signInPage.test(place)) return place
  if (isIframePlace(place)) return iframeSignIn(place)
  return `${paths.login(domain)}${place === '/' ? '' : `?redirectUrl=${encodeURIComponent(place)}`}`
}
