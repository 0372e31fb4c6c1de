import { MachineFault, type MachineNic } from '../../hypervisor'
import type { TapPlug } from '../../../network-model/wanted'
import { netdevId } from './ids'

/** QEMU's user-mode network (libslirp): a separate NAT for each interface, which requires no setup on the host. */
export interface UserNetwork {
  type: 'user'
  id: string
  net: string
  host: string
  dns: string
  dhcpstart: string
  hostname: string
  ipv6: boolean
  restrict: boolean
}

/** An existing tap. No scripts are used, because QEMU may not configure it. */
interface TapNetwork {
  type: 'tap'
  id: string
  ifname: string
  script: 'no'
  downscript: 'no'
}

const tapNetwork = (nic: MachineNic, { device }: TapPlug): TapNetwork => ({
  ...{ type: 'tap', id: netdevId(nic.id), ifname: device },
  ...{ script: 'no', downscript: 'no' },
})

const smallestNetwork = 29

/**
 * Returns the backend for an interface without a tap. Without `wayOut`, the guest has no network access, because QEMU
 * would otherwise open its connections as a process of the host and could reach the host's loopback.
 */
export function userNetwork(nic: MachineNic, wayOut: boolean): UserNetwork {
  const { base, prefix } = readCidr(nic.cidr)
  const size = 2 ** (32 - prefix)
  const inside = (offset: number) => writeAddress(base + offset)
  const given = nic.address === null ? null : readAddress(nic.address) - base
  if (given !== null && (given < 1 || given >= size - 1)) {
    throw new MachineFault('failed', `${nic.address} is not an address of the network ${nic.cidr}`)
  }
  // The first addresses that the guest does not use, for gateway and DNS.
  const [host = 1, dns = 2] = [1, 2, 3].filter((offset) => offset !== given)
  const pool = given ?? (size > 16 ? 10 : 3)
  return {
    type: 'user',
    id: netdevId(nic.id),
    net: `${inside(0)}/${prefix}`,
    host: inside(host),
    dns: inside(dns),
    dhcpstart: inside(pool),
    hostname: nic.hostname.replaceAll(/[^A-Za-z0-9-]/g, '-').slice(0, 32) || 'guest',
    ipv6: false,
    restrict: !(nic.connected && wayOut),
  }
}

/** Returns the backend for an interface: its tap if it has one, otherwise a user-mode network. */
export function networkOf(nic: MachineNic, at: { wayOut: boolean; taps: ReadonlyMap<string, TapPlug> }) {
  const tap = at.taps.get(nic.id)
  if (tap) return tapNetwork(nic, tap)
  return userNetwork(nic, at.wayOut && (nic.port?.orNat ?? true))
}

/**
 * Returns the backend as a command line option. No values require escaping, because they are all addresses, names or
 * booleans.
 */
export const asOption = (network: UserNetwork | TapNetwork) => {
  const { type, ...rest } = network
  const words = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'boolean' ? onOff(value) : value}`,
  )
  return [type, ...words].join(',')
}
const onOff = (value: boolean) => (value ? 'on' : 'off')

function readCidr(cidr: string) {
  const [address = '', bits = ''] = cidr.split('/')
  const asked = Number(bits)
  if (!/^\d{1,2}$/.test(bits) || asked < 4 || asked > 32)
    throw new MachineFault('failed', `${cidr} is not an IPv4 network`)
  // Gateway, DNS and guest require three addresses besides the first and the last.
  const prefix = Math.min(asked, smallestNetwork)
  const base = readAddress(address)
  return { base: base - (base % 2 ** (32 - prefix)), prefix }
}

function readAddress(address: string): number {
  const parts = address.split('.').map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : 256))
  if (parts.length !== 4 || parts.some((part) => part > 255)) {
    throw new MachineFault('failed', `${address} is not an IPv4 address`)
  }
  return parts.reduce((sum, part) => sum * 256 + part, 0)
}

const writeAddress = (value: number) => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
