import { says, type RuleText } from '../core/said'
import {
  addressText,
  canonical,
  isInRange,
  overlap,
  parseAddress,
  parseRange,
  rangeText,
  usable,
  without,
  type IpRange,
} from './addresses'
import type { AllocationPool, Ipv6Mode, NetworkSubnetDraft, SubnetChange } from './subnets'

/* Checks for a subnet beyond the syntax of its fields. Used by forms while typing and by engines before they act. */

/** Allowed prefix lengths for tenants' subnets. */
export const prefixesOf = { 4: { min: 8, max: 29 }, 6: { min: 48, max: 126 } } as const
/** Prefix length required by SLAAC (RFC 4862). */
export const SLAAC_PREFIX = 64

/** A subnet with all defaults filled in. */
export interface WholeSubnet {
  cidr: string
  ip_version: 4 | 6
  gateway_ip: string | null
  enable_dhcp: boolean
  allocation_pools: AllocationPool[]
  dns_nameservers: string[]
  ipv6_address_mode: Ipv6Mode | null
  ipv6_ra_mode: Ipv6Mode | null
}

/** Validation error in a field. */
export interface SubnetFault {
  field: keyof WholeSubnet | `allocation_pools.${number}`
  code: 'validation' | 'gateway_in_pool'
  message: RuleText
}

/** Adds the defaults to a draft. Its range must be valid. */
export function wholeSubnet(draft: NetworkSubnetDraft): WholeSubnet {
  const range = parseRange(draft.cidr)!
  const { version } = range
  const gateway_ip =
    draft.gateway_ip === undefined
      ? addressText({ version, value: version === 4 ? usable(range).first : range.first + 1n })
      : draft.gateway_ip
  // for IPv4, `none` means unset, because clients always send both modes
  const said = (mode: Ipv6Mode | null | undefined) => (version === 4 && mode === 'none' ? null : (mode ?? null))
  const [ofAddresses, ofAnnouncements] = [said(draft.ipv6_address_mode), said(draft.ipv6_ra_mode)]
  const mode = ofAddresses ?? ofAnnouncements ?? (version === 6 ? 'slaac' : null)
  return {
    cidr: rangeText(range),
    ip_version: draft.ip_version ?? version,
    gateway_ip,
    enable_dhcp: draft.enable_dhcp,
    allocation_pools: draft.allocation_pools ?? wholePool(range, gateway_ip),
    dns_nameservers: draft.dns_nameservers ?? [],
    ipv6_address_mode: mode,
    ipv6_ra_mode: ofAnnouncements ?? mode,
  }
}

/** Returns all usable addresses in the range except the gateway. */
export function wholePool(range: IpRange, gateway: string | null): AllocationPool[] {
  const at = gateway === null ? null : parseAddress(gateway)
  const taken = at && isInRange(at, range) ? [{ first: at.value, last: at.value }] : []
  const text = (value: bigint) => addressText({ version: range.version, value })
  return without(usable(range), taken).map(({ first, last }) => ({ start: text(first), end: text(last) }))
}

/** Returns the validation errors in a subnet, or an empty list if it is valid. */
export function subnetFaults(subnet: WholeSubnet): SubnetFault[] {
  const faults: SubnetFault[] = []
  const add = (field: SubnetFault['field'], message: RuleText, code: SubnetFault['code'] = 'validation') =>
    void faults.push({ field, code, message })
  const range = parseRange(subnet.cidr)
  if (!range) return [{ field: 'cidr', code: 'validation', message: says('networking.enter_range') }]
  const { version, prefix } = range
  if (subnet.ip_version !== version) add('ip_version', says('networking.range_is_of_version', { version }))
  const { min, max } = prefixesOf[version]
  if (prefix < min || prefix > max) add('cidr', says('networking.prefix', { least: min, most: max }))

  const mode = subnet.ipv6_address_mode
  if (version === 6) {
    const announces = mode === 'slaac' || mode === 'dhcpv6-stateless'
    if (announces && prefix !== SLAAC_PREFIX)
      add('cidr', says('networking.slaac_prefix', { prefix: SLAAC_PREFIX, mode }))
    if (subnet.ipv6_ra_mode !== mode) add('ipv6_ra_mode', says('networking.modes_differ'))
    if (mode !== null && mode !== 'none' && !subnet.enable_dhcp)
      add('enable_dhcp', says('networking.advertisements_need_dhcp'))
  }

  if (version === 4)
    for (const field of ['ipv6_address_mode', 'ipv6_ra_mode'] as const)
      if (subnet[field] !== null) add(field, says('networking.mode_needs_ipv6'))

  const gateway = subnet.gateway_ip === null ? null : parseAddress(subnet.gateway_ip)
  if (subnet.gateway_ip !== null) {
    if (!gateway || gateway.version !== version) add('gateway_ip', says('networking.address_version', { version }))
    else if (!isInRange(gateway, range))
      add('gateway_ip', says('networking.address_of_range', { range: rangeText(range) }))
    else if (!isUsable(gateway.value, range)) add('gateway_ip', says('networking.gateway_unusable'))
  }

  const pools = subnet.allocation_pools.map(({ start, end }) => ({
    start: parseAddress(start),
    end: parseAddress(end),
  }))
  for (const [at, { start, end }] of pools.entries()) {
    const field = `allocation_pools.${at}` as const
    if (!start || !end || !isInRange(start, range) || !isInRange(end, range))
      add(field, says('networking.addresses_of_range', { range: rangeText(range) }))
    else if (start.value > end.value) add(field, says('networking.pool_reversed'))
    else if (!isUsable(start.value, range) || !isUsable(end.value, range)) add(field, says('networking.pool_unusable'))
    else if (gateway && start.value <= gateway.value && gateway.value <= end.value)
      add(field, says('networking.gateway_in_pool', { gateway: addressText(gateway) }), 'gateway_in_pool')
    else if (pools.slice(0, at).some((other) => isBeside(other, { start, end }) === false))
      add(field, says('networking.pool_overlaps'))
  }
  if (new Set(subnet.dns_nameservers.map(canonical)).size < subnet.dns_nameservers.length)
    add('dns_nameservers', says('networking.name_server_twice'))
  return faults
}

type Bounds = { start: { value: bigint } | null; end: { value: bigint } | null }
const isBeside = (one: Bounds, other: Bounds): boolean =>
  !one.start ||
  !one.end ||
  !other.start ||
  !other.end ||
  one.end.value < other.start.value ||
  one.start.value > other.end.value

function isUsable(value: bigint, range: IpRange): boolean {
  const { first, last } = usable(range)
  return value >= first && value <= last
}

const poolsText = (pools: readonly AllocationPool[]): string => pools.map(({ start, end }) => `${start}-${end}`).join()

/** Applies a change to a subnet. Default pools are adapted to a new gateway; custom pools are kept. */
export function changedSubnet(subnet: WholeSubnet, change: SubnetChange): WholeSubnet {
  const range = parseRange(subnet.cidr)!
  const gateway_ip = change.gateway_ip === undefined ? subnet.gateway_ip : change.gateway_ip
  const wasWhole = poolsText(subnet.allocation_pools) === poolsText(wholePool(range, subnet.gateway_ip))
  return {
    ...subnet,
    gateway_ip,
    enable_dhcp: change.enable_dhcp ?? subnet.enable_dhcp,
    dns_nameservers: change.dns_nameservers ?? subnet.dns_nameservers,
    allocation_pools: change.allocation_pools ?? (wasWhole ? wholePool(range, gateway_ip) : subnet.allocation_pools),
  }
}

/** Returns the first of the other ranges that overlaps this one, or null if none does. */
export function firstOverlap<Named extends { cidr: string }>(cidr: string, others: readonly Named[]): Named | null {
  const range = parseRange(cidr)
  if (!range) return null
  return (
    others.find((other) => {
      const theirs = parseRange(other.cidr)
      return theirs !== null && overlap(range, theirs)
    }) ?? null
  )
}
