import type { HostInterface } from '@mainstay/contract/infrastructure/node-facts'
import * as z from 'zod'

export type FoundInterface = Omit<HostInterface, 'speed' | 'duplex' | 'gw4' | 'gw6' | 'neighbor'>

const Link = z.object({
  ifname: z.string(),
  flags: z.array(z.string()),
  mtu: z.number(),
  link_type: z.string(),
  address: z.string().optional(),
  /** Parent of a VLAN. */
  link: z.string().nullish(),
  master: z.string().optional(),
  linkinfo: z
    .object({
      info_kind: z.string().optional(),
      info_data: z.looseObject({ mode: z.unknown(), id: z.unknown() }).partial().optional(),
    })
    .optional(),
  addr_info: z.array(
    z.object({
      family: z.string().optional(),
      local: z.string().optional(),
      prefixlen: z.number().optional(),
      scope: z.string().optional(),
    }),
  ),
})
type Link = z.infer<typeof Link>

const kindOf = ({ linkinfo }: Link): string | undefined => linkinfo?.info_kind

/** Whether an interface belongs to the host itself, rather than to a virtual machine, a container or a tunnel. */
function isOfHost(link: Link): boolean {
  const kind = kindOf(link)
  if (link.link_type === 'loopback' || kind === 'tun' || kind === 'ifb' || kind === 'dummy') return false
  return (kind !== 'veth' || link.master === undefined) && ['ether', 'infiniband'].includes(link.link_type)
}

/** Parses `ip -j -d address`. */
export function parseInterfaces(text: string): FoundInterface[] {
  // deleted interfaces leave empty objects
  const links = z.array(z.union([Link, z.strictObject({})])).parse(JSON.parse(text))
  const all = links.filter((link): link is Link => 'ifname' in link)
  return all.filter(isOfHost).map((link) => {
    const type = typeOf(link)
    const { mode, id } = link.linkinfo?.info_data ?? {}
    return {
      ...{ name: link.ifname, type, mac: link.address ?? null, state: stateOf(link), mtu: link.mtu },
      ipv4: addressesOf(link, 'inet'),
      ipv6: addressesOf(link, 'inet6'),
      tag: type === 'vlan' && typeof id === 'number' ? id : null,
      ifaces:
        type === 'bond'
          ? all.filter(({ master }) => master === link.ifname).map(({ ifname }) => ifname)
          : parentOf(link),
      bond_type: type === 'bond' && typeof mode === 'string' ? mode : null,
    }
  })
}

const parentOf = (link: Link): string[] => (typeOf(link) === 'vlan' && link.link ? [link.link] : [])

function typeOf(link: Link): HostInterface['type'] {
  const kind = kindOf(link)
  if (kind === 'bond' || kind === 'vlan' || kind === 'bridge') return kind
  if (link.link_type === 'infiniband') return 'infiniband'
  return kind === undefined || kind === 'veth' ? 'ethernet' : 'other'
}

function stateOf({ flags }: Link): HostInterface['state'] {
  if (!flags.includes('UP')) return 'down'
  return flags.includes('LOWER_UP') ? 'up' : 'no_carrier'
}

/** Returns the addresses of an interface, except link-local ones, which exist on every interface. */
const addressesOf = ({ addr_info }: Link, family: string): string[] =>
  addr_info.flatMap((one) =>
    one.family === family && one.scope !== 'link' && one.local ? [`${one.local}/${one.prefixlen ?? 0}`] : [],
  )

const Route = z.object({
  dst: z.string().optional(),
  gateway: z.string().optional(),
  dev: z.string().optional(),
  metric: z.number().optional(),
})

/**
 * Parses `ip -j route`. Returns the default gateway of each interface, the one with the lowest metric if there are
 * several.
 */
export function parseGateways(text: string): Map<string, string> {
  const gateways = new Map<string, string>()
  const routes = z.array(Route).parse(JSON.parse(text.trim() || '[]'))
  for (const { dst, gateway, dev } of routes.toSorted((one, other) => (one.metric ?? 0) - (other.metric ?? 0)))
    if (dst === 'default' && gateway && dev && !gateways.has(dev)) gateways.set(dev, gateway)
  return gateways
}

export type Port = Pick<HostInterface, 'speed' | 'duplex'>

/** Parses lines of name, speed and duplex from `/sys/class/net`. An interface without a carrier has neither. */
export function parsePorts(text: string): Map<string, Port> {
  const lines = text.split('\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [name = '', speed, duplex, ...more] = line.split(' ')
      if (duplex === undefined || more.length > 0) throw new Error(`unexpected line ${line}`)
      return [
        name,
        {
          speed: Number(speed) > 0 ? Number(speed) : null,
          duplex: duplex === 'full' || duplex === 'half' ? duplex : null,
        },
      ]
    }),
  )
}
