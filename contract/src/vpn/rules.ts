import { says, type RuleText } from '../core/said'
import { overlap, parseRange, versionOf } from '../networking/addresses'
import { reservedAddress } from '../networking/reserved-ranges'
import type { IkeVersion } from './algorithms'

/* What a connection must be, beyond the form of its fields. Both sides ask: a form while somebody types, an engine before it acts. */

export type Side = 'local' | 'remote'

/** A fault of one of the ranges at a side. */
export interface SelectorFault {
  side: Side
  /** Which of the ranges; null: all of them. */
  at: number | null
  code: 'validation' | 'subnet_overlap' | 'ikev1_single_subnet'
  message: RuleText
}

/** What of the ranges behind the two ends is wrong. They must be ranges. */
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

/** Whether packets of one connection could also be of another one of the same router: some pair of ranges is in both. */
export const selectorsClash = (one: Selectors, other: Selectors): boolean =>
  anyOverlap(one.local, other.local) && anyOverlap(one.remote, other.remote)
export interface Selectors {
  local: readonly string[]
  remote: readonly string[]
}
const anyOverlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.some((other) => overlap(parseRange(one)!, parseRange(other)!)))

/** Pairs of ranges of one version: what one child security association each stands for where selectors are split. */
export const selectorPairs = ({ local, remote }: Selectors): { local: string; remote: string }[] =>
  local.flatMap((here) =>
    remote
      .filter((there) => parseRange(here)!.version === parseRange(there)!.version)
      .map((there) => ({ local: here, remote: there })),
  )

const HOST = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Why a peer cannot be at this address; null where it can. */
export function peerAddressFault(text: string): RuleText | null {
  if (versionOf(text) !== null) return reservedAddress(text)
  return HOST.test(text) ? null : says('vpn.enter_peer')
}

/** An identity as one end names itself. `%any`, which strongSwan takes for everybody, is none. */
export const IDENTITY = /^(?!%)[!-~](?:[ -~]{0,253}[!-~])?$/
