import { domainProperties } from '@mainstay/contract/identity/domain-properties'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { THEME } from '@mainstay/contract/identity/themes'
import { call } from '../api/call'
import { placeOf } from '../nav/place'
import { partsOfSignIn } from '../nav/sign-in-place'
import { setBranding, type Branding } from '../themes/theme'
import { sessionNow, useSession } from './session'

/** Later than this a page comes without its theme, and puts it on when it is there. */
const patienceMs = 2000
const icon = () => document.querySelector<HTMLLinkElement>('link[rel="icon"]')
const plainIcon = icon()?.href

/** Of whoever is signed in; else that which the address asks for, or was signed in to the last time. */
function domainOfTheme(): string {
  const { meta, user, domain } = sessionNow()
  if (user) return meta?.scope.domain_id ?? (user.domain_id || DEFAULT_DOMAIN_ID)
  return partsOfSignIn(placeOf(location)).domain ?? domain ?? DEFAULT_DOMAIN_ID
}

let worn: string | undefined

/** Fetches how the console looks in a domain. Where it does not come, everything stays as it is. */
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
    // the looks of the last time, or the product's own
  }
}

/** The theme of the present domain, from the start on. What it answers is over when the first one is worn, or is late. */
export function startTheme(): Promise<unknown> {
  useSession.subscribe(() => {
    const domain = domainOfTheme()
    if (domain !== worn) void applyTheme(domain)
  })
  return Promise.race([applyTheme(), new Promise((late) => setTimeout(late, patienceMs))])
}
