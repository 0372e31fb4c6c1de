import { says, type RuleText } from '@mainstay/contract/core/said'
import { isIP } from 'node:net'
import { problemOf } from '@mainstay/contract/core/problems'
import { isOfLoopback } from '../../http/addresses/hosts'

/** For whom a passkey speaks: browsers give it to pages of this host alone, and say of which origin they are. */
export interface RelyingParty {
  host: string
  origin: string
}

const refuse = (why: RuleText) => problemOf(why)

/**
 * `address`: where people find the console; `own`: where the caller's browser has it, null for what is no page of ours. Both panels of
 * one host are one party: passkeys know no ports. Throws `unsupported` where browsers would refuse, with what to do about it.
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
