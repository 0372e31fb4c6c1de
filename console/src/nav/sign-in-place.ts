import { paths } from './paths'

const signInPage = /^\/login(?=[/?#]|$)/

/** Addresses at which somebody who is not signed in can only want to sign in. */
export const isSignInPlace = (place: string) => place === '/' || signInPage.test(place)

/** Where somebody who is not signed in is sent: the sign-in page of the domain, with the way back. */
export function signInPlace(place: string, domain: string | null): string {
  if (signInPage.test(place)) return place
  return `${paths.login(domain)}${place === '/' ? '' : `?redirectUrl=${encodeURIComponent(place)}`}`
}
