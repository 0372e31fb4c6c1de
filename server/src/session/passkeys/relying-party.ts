import { says, type RuleText } from '@mainstay/contract/core/said'
import { isIP } from 'node:net'
import { problemOf } from '@mainstay/contract/core/problems'
import { isOfLoopback } from '../../http/addresses/hosts'

/**
 * The host and origin to which a passkey is bound. Browsers offer it only on pages of this host, and report the origin.
 */
export interface RelyingParty {
  host: string
  origin: string
}

const refuse = (why: RuleText) => problemOf(why)

/**
 * The relying party for a call. `address` is the configured address of the console; `own` is the origin in the caller's
 * browser, or null if it is not a page of the console. Both panels of a host are one relying party, because passkeys
 * ignore ports. Throws an `unsupported` error with instructions if browsers would refuse to use passkeys.
 */
export function relyingPartyOf(address: string | null, own: string | null): RelyingParty {
  const here = own ?? address
  if (here === null || address === null) throw refuse(says('identity.passkeys_in_browsers'))
  const { hostname: host, origin, protocol } = new URL(here)
  const known = new URL(address).hostname
  if (host !== known) throw refuse(says('identity.passkeys_of_name', { name: known }))
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) throw refuse(says('identity.passkeys_need_name'))
  if (protocol !== 'https:' && !isOfLoopback(host)) throw refuse(says('identity.passkeys_need_https'))
  return { host, origin }
}
