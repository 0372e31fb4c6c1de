import type { CurrentUser } from '@mainstay/contract/identity/session'

/** State that survives a reload (S1§3). Does not include the unscoped token, which is in an HttpOnly cookie. */
export interface KeptProject {
  id: string
  name: string
}
export type KeptUser = Omit<CurrentUser, 'token' | 'scoped_token'>

const read = (key: string): string | null => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null // storage is blocked: the session then lasts as long as the page
  }
}

const write = (key: string, value: string | null) => {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // storage is blocked or full
  }
}

function readJson<T>(key: string): T | null {
  const text = read(key)
  if (text === null) return null
  try {
    return JSON.parse(text) as T
  } catch {
    write(key, null)
    return null
  }
}

export const readKept = () => ({
  user: readJson<KeptUser>('user'),
  scopedToken: read('scopedToken'),
  domain: read('domain'),
  project: readJson<KeptProject>('currentProject'),
})

export function keep(kept: {
  user: KeptUser | null
  scopedToken: string | null
  domain: string | null
  project: KeptProject | null
}) {
  write('user', kept.user && JSON.stringify(kept.user))
  write('scopedToken', kept.scopedToken)
  write('domain', kept.domain)
  write('currentProject', kept.project && JSON.stringify(kept.project))
}

// Display preferences are not secret, the domain is needed to open the right sign-in page, and the idle record belongs
// to the browser rather than the user.
const staysAfterSignOut = /^(mainstay\.|leaveTime-|domain$|language$)/

/** Unsent form input (drafts.ts). */
export const draftsKey = 'drafts'

/**
 * Clears storage on sign-out, except display preferences, language, domain and idle record. `keepsDrafts` keeps drafts
 * for the next sign-in.
 */
export function forgetKept({ keepsDrafts = false } = {}) {
  try {
    for (const key of Object.keys(localStorage)) {
      const stays = key === draftsKey ? keepsDrafts : staysAfterSignOut.test(key)
      if (!stays) localStorage.removeItem(key)
    }
  } catch {
    // storage is blocked
  }
}
