/** State kept while the user signs in at an identity provider (S1§3), for the lifetime of the tab. */
export interface RedirectMemory {
  domain: string | null
  projectId: string | null
  /** Paths within the console. */
  successRedirect: string | null
  failureRedirect: string
}

const KEY = 'signIn'

export function rememberRedirects(memory: RedirectMemory) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(memory))
  } catch {
    // storage is blocked: sign-in then continues at the home page
  }
}

/** The stored state, or null in a tab that did not leave for an identity provider. */
export function readRedirects(): RedirectMemory | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as RedirectMemory | null
  } catch {
    return null
  }
}

export function forgetRedirects() {
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // storage is blocked
  }
}
