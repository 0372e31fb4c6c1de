import { says, type RuleText } from '../core/said'
import { overlap, parseRange, versionOf } from '../networking/addresses'
import { reservedAddress } from '../networking/reserved-ranges'
import type { IkeVersion } from './algorithms'

/*
 * Checks for a connection beyond the syntax of its fields. Used by forms while typing and by engines before they act.
 */

export type Side = 'local' | 'remote'

/** Validation error in a local or remote address range. */
export interface SelectorFault {
  side: Side
  /** Index of the range; null: all ranges. */
  at: number | null
  code: 'validation' | 'subnet_overlap' | 'ikev1_single_subnet'
  message: RuleText
}

/** Returns the validation errors in the local and remote address ranges. The ranges must be syntactically valid. */
export function selectorFaults(ike: IkeVersion, local: readonly string[], remote: readonly string[]): SelectorFault[] {
  const faults: SelectorFault[] = []
  const [here, there] = [local, remote].map((side) => side.map((cidr) => parseRange(cidr)!)) as [Ranges, Ranges]
  if (ike === 'v1') {
    const message = says('vpn.ikev1_one_subnet')
    if (local.length > 1) faults.push({ side: 'local', at: null, code: 'ikev1_single_subnet', message })
    if (remote.length > 1) faults.push({ side: 'remote', at: null, code: 'ikev1_single_subnet', message })
  }
  for (const [at, range] of there.entries()) {
    const fault = (code: SelectorFault['code'], message: RuleText) =>
      void faults.push({ side: 'remote', at, code, message })
    const own = here.findIndex((one) => overlap(one, range))
    if (own !== -1) fault('subnet_overlap', says('vpn.overlaps_own', { range: remote[at]!, own: local[own]! }))
    const twin = there.slice(0, at).findIndex((one) => overlap(one, range))
    if (twin !== -1) fault('subnet_overlap', says('vpn.overlaps_twin', { range: remote[at]!, twin: remote[twin]! }))
    if (!here.some(({ version }) => version === range.version))
      fault('validation', says('vpn.no_local_of_version', { version: range.version }))
  }
  for (const [at, { version }] of here.entries())
    if (!there.some((range) => range.version === version))
      faults.push({ side: 'local', at, code: 'validation', message: says('vpn.no_remote_of_version', { version }) })
  return faults
}
type Ranges = NonNullable<ReturnType<typeof parseRange>>[]

/**
 * Whether two connections on a router conflict: a packet could match both, because their ranges overlap on both sides.
 */
export const selectorsClash = (one: Selectors, other: Selectors): boolean =>
  anyOverlap(one.local, other.local) && anyOverlap(one.remote, other.remote)
export interface Selectors {
  local: readonly string[]
  remote: readonly string[]
}
const anyOverlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.some((other) => overlap(parseRange(one)!, parseRange(other)!)))

/**
 * Returns the pairs of ranges with the same IP version. With split selectors, each pair has a child security
 * association.
 */
export const selectorPairs = ({ local, remote }: Selectors): { local: string; remote: string }[] =>
  local.flatMap((here) =>
    remote
      .filter((there) => parseRange(here)!.version === parseRange(there)!.version)
      .map((there) => ({ local: here, remote: there })),
  )

const HOST = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Returns the reason why a peer cannot have this address, or null if it can. */
export function peerAddressFault(text: string): RuleText | null {
  if (versionOf(text) !== null) return reservedAddress(text)
  return HOST.test(text) ? null : says('vpn.enter_peer')
}

/** An IKE identity. `%any` is refused, because strongSwan accepts any peer for it. */
export const IDENTITY = /^(?!%)[!-~](?:[ -~]{0,253}[!-~])?$/
