import { edgeSpace, switchSpace, tunnelDevice } from '../../../network-model/names'
import { uplink } from '../../../network-model/uplink'

/* Current kernel state of the capsule, parsed from `ip` output. */

export interface LinkState {
  kind: string
  master: string | null
  mtu: number
  up: boolean
  /** Last rate limit set for traffic to the guest, in bits per second; null: no limit; undefined: unknown. */
  limit?: number | null
}

export interface SpaceState {
  links: Map<string, LinkState>
  addresses: Set<string>
  routes: Set<string>
  /** The settings that were last written. They are not read back from the kernel. */
  settings: Map<string, string>
  /** The rules that were last loaded. They are not read back from the kernel. */
  rules: string | null
  /** Addresses to which UDP was forwarded. */
  passesTo: Set<string>
}

export type KernelState = Map<string, SpaceState>

export const emptySpace = (): SpaceState => ({
  links: new Map(),
  addresses: new Set(),
  routes: new Set(),
  settings: new Map(),
  rules: null,
  passesTo: new Set(),
})

/** Marks routes added by Mainstay. Routes with other protocols are ignored. */
export const routeProtocol = 99

/** Whether a namespace belongs to a probe. Such namespaces are temporary and not part of the plan. */
export const isProbe = (space: string) => space.startsWith('probe-')

/** Shell script for the capsule; `parseKernel` parses its output. */
export const readKernelScript = `
cd /run/netns
for n in *; do
  case $n in probe-*) continue;; esac
  nsenter --net=/run/netns/$n sh -c 'echo "@space $0"; ip -j -d link; echo; ip -j addr; echo; ip -j -N -4 route show table all; echo; ip -j -N -6 route show table all; echo' $n || echo "@space $n"
done`

interface LinkJson {
  ifname: string
  mtu: number
  master?: string
  flags: string[]
  linkinfo?: { info_kind?: string }
}
interface AddressJson {
  ifname: string
  addr_info?: { local: string; prefixlen: number; scope: string; family: string }[]
}
interface RouteJson {
  type?: string
  dst: string
  gateway?: string
  dev?: string
  table?: string | number
  protocol?: string | number
}

export function parseKernel(output: string): KernelState {
  const state: KernelState = new Map()
  for (const part of output.split(/^@space /m).slice(1)) {
    const [name = '', ...rest] = part.split('\n')
    const lists = rest.filter((line) => line.startsWith('[')).map((line) => JSON.parse(line) as unknown)
    state.set(name.trim(), spaceOf(name.trim(), lists))
  }
  return state
}

function spaceOf(name: string, [links = [], addresses = [], ...routes]: unknown[]): SpaceState {
  const space = emptySpace()
  for (const link of links as LinkJson[]) {
    if (!link.ifname || isOwn(name, link.ifname)) continue
    space.links.set(link.ifname, {
      kind: link.linkinfo?.info_kind ?? '',
      master: link.master ?? null,
      mtu: link.mtu,
      up: link.flags.includes('UP'),
    })
  }
  for (const { ifname, addr_info = [] } of addresses as AddressJson[]) {
    if (!ifname || (isOwn(name, ifname) && ifname !== 'lo')) continue
    for (const { local, prefixlen, scope } of addr_info) {
      if (scope === 'link' || scope === 'host' ? !(ifname === 'lo' && local === '169.254.169.254') : false) continue
      space.addresses.add(`${local}/${prefixlen} dev ${ifname}`)
    }
  }
  for (const { type, dst, gateway, dev, table, protocol } of routes.flat() as RouteJson[]) {
    if (Number(protocol) !== routeProtocol) continue
    const kind = type && type !== 'unicast' && type !== '1' ? `${type === '2' ? 'local' : type} ` : ''
    const at = table === undefined || table === 'main' ? 254 : table
    space.routes.add(`${kind}${dst}${gateway ? ` via ${gateway}` : ''} dev ${dev} table ${at}`)
  }
  return space
}

/** Whether a device belongs to the capsule or to strongSwan rather than to a network. */
const isOwn = (space: string, device: string) =>
  device === 'lo' || device === tunnelDevice || (space === edgeSpace && device === uplink.device)

export const ownSpaces = new Set([switchSpace, edgeSpace])
