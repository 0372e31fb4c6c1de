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

/** Form values of a subnet. Empty strings let the network choose. */
export interface SubnetForm {
  cidr: string
  has_gateway: boolean
  gateway: string
  dhcp: boolean
  /** One `first - last` per line. */
  pools: string
  /** Separated by spaces, commas, semicolons or line breaks. */
  dns: string
  /** IPv6 only. */
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

/** Parses pools. Undefined for an empty text, null if a line is invalid. */
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
 * Why a typed range is invalid (S2§5): empty, not a range, or not starting at its network address. Null if it is valid.
 */
export function rangeFault(cidr: string, version: 4 | 6, t: Translate<'networking'>): string | null {
  const fault = cidrFault(cidr)
  if (fault?.kind === 'empty') return t('cidr.empty')
  if (fault?.kind === 'incorrect') return t('cidr.incorrect', { suggestion: fault.suggestion })
  const range = parseRange(cidr.trim())
  if (fault || range?.version !== version) return t(version === 4 ? 'cidr.invalid' : 'cidr.invalid6')
  return null
}

/** The faults of a subnet, each with its field. */
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
/** The form field for a field path in an error of the contract or the server. */
export const fieldOf = (path: string): keyof SubnetForm => names[path.split('.')[0] ?? ''] ?? 'cidr'

/** Converts the form to the body of a call. The range must be valid. */
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

/** Only the changed fields, so that concurrent edits of different fields do not overwrite each other. */
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
  /** Number of addresses available to instances. */
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

/** Prefix lengths offered for a subnet, smallest size first, within the limits of the contract. */
export const offeredPrefixes = [26, 25, 24, 23, 22].filter(
  (prefix) => prefix >= prefixesOf[4].min && prefix <= prefixesOf[4].max,
)
