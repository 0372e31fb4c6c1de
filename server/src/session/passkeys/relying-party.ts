import { isIP } from 'node:net'
import { Problem } from '@mainstay/contract/core/problems'
import { isOfLoopback } from '../../http/hosts'

/** For whom a passkey speaks: browsers give it to pages of this host alone, and say of which origin they are. */
export interface RelyingParty {
  host: string
  origin: string
}

const refuse = (why: string) => new Problem('unsupported', why)

/**
 * `address`: where people find the console; `own`: where the caller's browser has it, null for what is no page of ours. Both panels of
 * one host are one party: passkeys know no ports. Throws `unsupported` where browsers would refuse, with what to do about it.
 */
export function relyingPartyOf(address: string | null, own: string | null): RelyingParty {
  const here = own ?? address
  if (here === null || address === null)
    throw refuse('Browsers make and use passkeys: call this from a page of the console')
  const { hostname: host, origin, protocol } = new URL(here)
  const known = new URL(address).hostname
  if (host !== known) throw refuse(`Passkeys belong to ${known}: open the console under this name`)
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0)
    throw refuse('Browsers have no passkeys for an IP address: open the console under a name')
  if (protocol !== 'https:' && !isOfLoopback(host))
    throw refuse('Browsers have passkeys over HTTPS alone: open the console by it')
  return { host, origin }
}
