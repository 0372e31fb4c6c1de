import { domainProperties } from '@mainstay/contract/identity/domain-properties'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { THEME } from '@mainstay/contract/identity/themes'
import { call } from '../api/call'
import { placeOf } from '../nav/place'
import { partsOfSignIn } from '../nav/sign-in-place'
import { setBranding, type Branding } from '../themes/theme'
import { sessionNow, useSession } from './session'

/** After this time, the page is shown without its theme; the theme is applied when it arrives. */
const patienceMs = 2000
const icon = () => document.querySelector<HTMLLinkElement>('link[rel="icon"]')
const plainIcon = icon()?.href

/** The signed-in user's domain, or else the domain in the URL or the one that was used last. */
function domainOfTheme(): string {
  const { meta, user, domain } = sessionNow()
  if (user) return meta?.scope.domain_id ?? (user.domain_id || DEFAULT_DOMAIN_ID)
  return partsOfSignIn(placeOf(location)).domain ?? domain ?? DEFAULT_DOMAIN_ID
}

let worn: string | undefined

/** Loads and applies a domain's theme. On failure, the current theme stays. */
export async function applyTheme(domain_id = domainOfTheme()): Promise<void> {
  worn = domain_id
  try {
    const params = { domain_id, key: THEME }
    const { colorScheme, ...own } = (await call(domainProperties.view, { params })) as Branding & {
      colorScheme?: unknown
    }
    if (worn !== domain_id) return
    setBranding({ ...own, scheme: colorScheme })
    const link = icon()
    if (link && (own.favicon ?? plainIcon)) link.href = (own.favicon ?? plainIcon)!
  } catch {
    // keeps the theme from the last visit, or the default
  }
}

/**
 * Keeps the theme in sync with the current domain. Resolves when the first theme is applied, at the latest after
 * `patienceMs`.
 */
export function startTheme(): Promise<unknown> {
  useSession.subscribe(() => {
    const domain = domainOfTheme()
    if (domain !== worn) void applyTheme(domain)
  })
  return Promise.race([applyTheme(), new Promise((late) => setTimeout(late, patienceMs))])
}
