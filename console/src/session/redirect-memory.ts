/** What is kept while somebody is away to sign in elsewhere (S1§3); it ends with the tab. */
export interface RedirectMemory {
  domain: string | null
  projectId: string | null
  /** Places within the console. */
  successRedirect: string | null
  failureRedirect: string
}

const KEY = 'signIn'

export function rememberRedirects(memory: RedirectMemory) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(memory))
  } catch {
    // refused by the browser: sign-in then leads to the start
  }
}

/** What was remembered; null in a tab that has not left to sign in. */
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
    // see above
  }
}
