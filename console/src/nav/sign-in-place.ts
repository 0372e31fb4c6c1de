import { iframeSignIn, isIframePlace } from './iframe'
import { paths } from './paths'

const signInPage = /^\/login(?=[/?#]|$)/

/** Addresses at which somebody who is not signed in can only want to sign in. */
export const isSignInPlace = (place: string) => place === '/' || signInPage.test(place)

/** A step of an address as it is meant; as it stands where it means nothing. */
function plain(step: string | undefined): string | undefined {
  try {
    return step === undefined ? undefined : decodeURIComponent(step)
  } catch {
    return step
  }
}

/** The domain and the identity provider that the address of a sign-in page names. */
export function partsOfSignIn(place: string): { domain: string | undefined; provider: string | undefined } {
  const [, domain, provider] = /^\/login\/([^/?#]+)(?:\/([^/?#]+))?/.exec(place) ?? []
  return { domain: plain(domain), provider: plain(provider) }
}

/** Where somebody who is not signed in is sent: the sign-in page of the domain, with the way back. */
export function signInPlace(place: string, domain: string | null): string {
  if (signInPage.test(place)) return place
  if (isIframePlace(place)) return iframeSignIn(place)
  return `${paths.login(domain)}${place === '/' ? '' : `?redirectUrl=${encodeURIComponent(place)}`}`
}
