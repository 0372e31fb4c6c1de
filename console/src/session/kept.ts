import type { CurrentUser } from '@mainstay/contract/identity/session'

/** What outlives a reload (S1§3). The unscoped token is not among it: it lives in a cookie that no script can read. */
export interface KeptProject {
  id: string
  name: string
}
export type KeptUser = Omit<CurrentUser, 'token' | 'scoped_token'>

const read = (key: string): string | null => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null // refused by the browser: the session then lasts as long as the page
  }
}

const write = (key: string, value: string | null) => {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // see above
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

// How somebody likes to see things is no secret, the domain leads back to the right sign-in page, and the idle record
// belongs to the machine.
const staysAfterSignOut = /^(mainstay\.|leaveTime-|domain$|language$)/

/** What was typed into forms and not sent (drafts.ts). */
export const draftsKey = 'drafts'

/** On sign-out: everything but looks, language, the domain's name and the idle record; drafts stay for who comes back. */
export function forgetKept({ keepsDrafts = false } = {}) {
  try {
    for (const key of Object.keys(localStorage)) {
      const stays = key === draftsKey ? keepsDrafts : staysAfterSignOut.test(key)
      if (!stays) localStorage.removeItem(key)
    }
  } catch {
    // see above
  }
}
