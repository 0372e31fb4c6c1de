import { addressText, parseAddress, parseRange, usable, type IpRange } from '@mainstay/contract/networking/addresses'
import { cidrFault } from '@mainstay/contract/networking/address-texts'
import { prefixesOf, subnetFaults, wholeSubnet, type WholeSubnet } from '@mainstay/contract/networking/subnet-rules'
import {
  MAX_NAME_SERVERS,
  MAX_POOLS,
  type AllocationPool,
  type Ipv6Mode,
  type NetworkSubnetDraft,
  type Subnet,
  type SubnetChange,
} from '@mainstay/contract/networking/subnets'
import type { Translate } from '../../../i18n/use-t'

/** Form values for a subnet. An empty string means that the value is assigned automatically. */
export interface SubnetForm {
  cidr: string
  has_gateway: boolean
  gateway: string
  dhcp: boolean
  /** One pool per line, written as `first - last`. */
  pools: string
  /** Addresses separated by spaces, commas, semicolons or line breaks. */
  dns: string
  /** Applies only to IPv6. */
  mode: Ipv6Mode
}

export const emptySubnet = (cidr = ''): SubnetForm => ({
  ...{ cidr, has_gateway: true, gateway: '', dhcp: true, pools: '', dns: '' },
  mode: 'slaac',
})

export const poolText = (pools: readonly AllocationPool[]): string =>
  pools.map(({ start, end }) => `${start} - ${end}`).join('\n')

export const formOf = (subnet: Subnet): SubnetForm => ({
  cidr: subnet.cidr,
  has_gateway: subnet.gateway_ip !== null,
  gateway: subnet.gateway_ip ?? '',
  dhcp: subnet.enable_dhcp,
  pools: poolText(subnet.allocation_pools),
  dns: subnet.dns_nameservers.join(', '),
  mode: (subnet.ipv6_address_mode as Ipv6Mode | null) ?? 'none',
})

const words = (text: string): string[] => text.split(/[\s,;]+/).filter((it) => it !== '')

/** Parses allocation pools. Returns undefined for empty text, and null if a line is invalid. */
export function parsePools(text: string): AllocationPool[] | undefined | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return undefined
  const pools = lines.map((line) => {
    const [start = '', end = start, ...more] = line.split(/\s+-\s+|\s*–\s*|\s+to\s+|-/i).map((it) => it.trim())
    return more.length === 0 && parseAddress(start) && parseAddress(end) ? { start, end } : null
  })
  return pools.includes(null) ? null : (pools as AllocationPool[])
}

interface Fault {
  field: keyof SubnetForm
  message: string
}

/**
 * Describes what is wrong with an entered range (S2§5): it is empty, not a range, or does not start at its network
 * address. Returns null if it is valid.
 */
export function rangeFault(cidr: string, version: 4 | 6, t: Translate<'networking'>): string | null {
  const fault = cidrFault(cidr)
  if (fault?.kind === 'empty') return t('cidr.empty')
  if (fault?.kind === 'incorrect') return t('cidr.incorrect', { suggestion: fault.suggestion })
  const range = parseRange(cidr.trim())
  if (fault || range?.version !== version) return t(version === 4 ? 'cidr.invalid' : 'cidr.invalid6')
  return null
}

/** Validates a subnet. Returns each error with its field. */
export function subnetFormFaults(form: SubnetForm, version: 4 | 6, t: Translate<'networking'>): Fault[] {
  const wrong = rangeFault(form.cidr, version, t)
  const faults: Fault[] = wrong === null ? [] : [{ field: 'cidr', message: wrong }]
  const pools = parsePools(form.pools)
  if (pools === null) faults.push({ field: 'pools', message: t('subnets.poolsWrong') })
  if ((pools?.length ?? 0) > MAX_POOLS)
    faults.push({ field: 'pools', message: t('subnets.poolsMost', { most: MAX_POOLS }) })
  const servers = words(form.dns)
  const noAddress = servers.find((it) => parseAddress(it) === null)
  if (noAddress !== undefined) faults.push({ field: 'dns', message: t('subnets.dnsWrong', { text: noAddress }) })
  if (servers.length > MAX_NAME_SERVERS)
    faults.push({ field: 'dns', message: t('subnets.dnsMost', { most: MAX_NAME_SERVERS }) })
  if (form.has_gateway && form.gateway.trim() !== '' && parseAddress(form.gateway.trim())?.version !== version)
    faults.push({ field: 'gateway', message: t(version === 4 ? 'subnets.gatewayWrong' : 'subnets.gatewayWrong6') })
  if (faults.length > 0) return faults
  return subnetFaults(wholeSubnet(subnetDraftOf(form, version))).map(({ field, message }) => ({
    field: fieldOf(field),
    message,
  }))
}

const names: Readonly<Partial<Record<string, keyof SubnetForm>>> = {
  gateway_ip: 'gateway',
  enable_dhcp: 'dhcp',
  allocation_pools: 'pools',
  dns_nameservers: 'dns',
  ipv6_address_mode: 'mode',
  ipv6_ra_mode: 'mode',
}
/** Maps a field path from a contract or server error to a form field. */
export const fieldOf = (path: string): keyof SubnetForm => names[path.split('.')[0] ?? ''] ?? 'cidr'

/** Converts form values to an API request body. The range must be valid. */
export function subnetDraftOf(form: SubnetForm, version: 4 | 6): NetworkSubnetDraft {
  const pools = parsePools(form.pools)
  const servers = words(form.dns)
  return {
    cidr: form.cidr.trim(),
    enable_dhcp: form.dhcp,
    ...(!form.has_gateway && { gateway_ip: null }),
    ...(form.has_gateway && form.gateway.trim() !== '' && { gateway_ip: form.gateway.trim() }),
    ...(pools && { allocation_pools: pools }),
    ...(servers.length > 0 && { dns_nameservers: servers }),
    ...(version === 6 && { ipv6_address_mode: form.mode, ipv6_ra_mode: form.mode }),
  }
}

/** Returns only the changed fields, so that concurrent edits of different fields do not overwrite each other. */
export function changeOf(before: SubnetForm, form: SubnetForm): SubnetChange {
  const gateway = ({ has_gateway, gateway: typed }: SubnetForm) => (has_gateway ? typed.trim() : null)
  return {
    ...(gateway(form) !== gateway(before) && { gateway_ip: gateway(form) || null }),
    ...(form.dhcp !== before.dhcp && { enable_dhcp: form.dhcp }),
    ...(form.pools !== before.pools && { allocation_pools: parsePools(form.pools) ?? [] }),
    ...(form.dns !== before.dns && { dns_nameservers: words(form.dns) }),
  }
}

/** Addresses and counts derived from a range. */
export interface RangeFacts {
  range: IpRange
  subnet: WholeSubnet
  /** Number of addresses that instances can use. */
  machines: bigint
  network: string
  broadcast: string | null
  netmask: string | null
}

export function rangeFacts(form: SubnetForm, version: 4 | 6): RangeFacts | null {
  const range = parseRange(form.cidr.trim())
  if (range?.version !== version || parsePools(form.pools) === null) return null
  const subnet = wholeSubnet(subnetDraftOf(form, version))
  const { first, last } = usable(range)
  const text = (value: bigint) => addressText({ version, value })
  const machines = subnet.allocation_pools.reduce((sum, { start, end }) => {
    const [from, to] = [parseAddress(start), parseAddress(end)]
    return from && to && to.value >= from.value ? sum + to.value - from.value + 1n : sum
  }, 0n)
  const mask = version === 4 ? (0xffffffffn << BigInt(32 - range.prefix)) & 0xffffffffn : null
  return {
    range,
    subnet,
    machines,
    network: text(range.first),
    broadcast: version === 4 && last < range.last && first > range.first ? text(range.last) : null,
    netmask: mask === null ? null : text(mask),
  }
}

/** Prefix lengths offered for a subnet, from the smallest subnet to the largest, within the contract's limits. */
export const offeredPrefixes = [26, 25, 24, 23, 22].filter(
  (prefix) => prefix >= prefixesOf[4].min && prefix <= prefixesOf[4].max,
)
