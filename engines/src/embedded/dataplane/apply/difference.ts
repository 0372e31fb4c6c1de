import {
  pingGroups,
  type CablePlan,
  type Compiled,
  type SpacePlan,
  type TapPlan,
} from '../../../network-model/compile/plan'
import { guestSpaceOf, switchSpace } from '../../../network-model/names'
import {
  emptySpace,
  isProbe,
  ownSpaces,
  routeProtocol,
  type KernelState,
  type LinkState,
  type SpaceState,
} from './kernel'
import type { Step } from './script'

/*
 * Computes the steps that take the kernel from its current state to the plan. Everything that is not in the plan is
 * removed, because nothing else may exist in the capsule.
 */

export interface Difference {
  /** Removals, which run before the rules change, so that no device is ever without its rules. */
  first: Step[]
  /** Additions, and removals of namespaces, which run after the rules change. */
  last: Step[]
  /** The kernel state once all steps have succeeded. */
  after: KernelState
}

export type PortDevices = 'taps' | 'spaces'

export interface PortMaking {
  devices: PortDevices
  /** User that may open the taps, by its ID inside the user namespace. */
  uid: number
}

export function difference(
  now: KernelState,
  plan: Compiled,
  plugged: ReadonlySet<string>,
  making: PortMaking,
): Difference {
  const spaces = new Map(plan.spaces.map((space) => [space.name, space]))
  const after: KernelState = new Map()
  for (const name of [...ownSpaces, ...spaces.keys()]) after.set(name, emptySpace())
  const first: Step[] = []
  const fresh = [...spaces.keys()].filter((name) => !now.has(name))
  const gone = [...now.keys()].filter((name) => !after.has(name) && !isProbe(name))
  const last: Step[] = []
  if (fresh.length > 0) {
    last.push({
      space: null,
      command: 'ip -force -batch -',
      lines: fresh.map((name) => `netns add ${name}`),
      owners: fresh,
    })
  }

  const guests = making.devices === 'taps' ? [] : plan.taps.filter(({ portId }) => plugged.has(portId))
  const missing = guests
    .filter(({ name }) => !now.get(switchSpace)?.links.has(name))
    .map(({ portId }) => guestSpaceOf(portId))
  if (missing.length > 0)
    last.push({
      space: null,
      command: 'sh',
      lines: missing.map((name) => `[ -e /run/netns/${name} ] || ip netns add ${name}`),
    })
  const at = cablesBySpace(plan.cables)
  const wanted = wantedLinks(plan, plugged, making.devices)
  for (const [space, links] of wanted) {
    const there = now.get(space)?.links ?? new Map<string, LinkState>()
    const fits = (name: string) =>
      links.get(name) !== undefined && there.get(name)?.kind === links.get(name)!.state.kind
    const isInner = (name: string) => at(space).some(({ inner }) => inner.space === space && inner.name === name)
    const old = [...there.keys()].filter((name) => !fits(name) && !(links.get(name) === undefined && isInner(name)))
    if (old.length > 0) first.push({ space, command: quietly('ip'), lines: old.map((name) => `link del dev ${name}`) })
    const lines: string[] = []
    const owners: (string | null)[] = []
    for (const [name, link] of links) {
      for (const line of linkLines(name, fits(name) ? there.get(name)! : null, link, making.uid)) {
        lines.push(line)
        owners.push(name)
      }
      after.get(space)!.links.set(name, link.state)
    }
    if (lines.length > 0) last.push({ space, command: 'ip -force -batch -', lines, owners })
    if (space === switchSpace)
      last.push(
        ...limits(
          plan.taps.filter(({ portId }) => plugged.has(portId)),
          there,
        ),
      )
  }
  for (const { inner, mtu } of plan.cables)
    after.get(inner.space)?.links.set(inner.name, { kind: 'veth', master: null, mtu, up: true })

  const again: string[] = []
  for (const space of spaces.values()) {
    const there = now.get(space.name) ?? emptySpace()
    const isNew = madeAnew(at(space.name), space.name, now)
    last.push(...spaceSteps(space, there, at(space.name), isNew))
    for (const { inner } of announcedEnds(space, there, at(space.name), isNew))
      if (isNew.has(inner.name)) again.push(`nsenter --net=/run/netns/${space.name} ip ${announcing(inner)}`)
    Object.assign(after.get(space.name)!, pick(space))
  }
  // a bridge port forwards nothing until it detects its carrier, which takes about a second, or longer on a busy host
  if (again.length > 0)
    last.push({
      ...{ space: null, command: 'sh' },
      lines: ['(for seconds in 1.5 2 4; do sleep $seconds', ...again, 'done) >/dev/null 2>&1 </dev/null &'],
    })
  if (gone.length > 0)
    last.push({ space: null, command: 'ip -force -batch -', lines: gone.map((name) => `netns del ${name}`) })
  return { first, last, after }
}

const pick = ({ addresses, routes, settings, rules, passesTo = new Set() }: SpacePlan) => ({
  addresses: new Set(addresses),
  routes: new Set([...routes].map(asListed)),
  settings: new Map(settings),
  rules,
  passesTo: new Set(passesTo),
})

function cablesBySpace(cables: CablePlan[]): (space: string) => CablePlan[] {
  const found = new Map<string, CablePlan[]>()
  for (const cable of cables) {
    for (const { space } of [cable.inner, cable.outer]) {
      const others = found.get(space)
      if (others) others.push(cable)
      else found.set(space, [cable])
    }
  }
  return (space) => found.get(space) ?? []
}

interface WantedLink {
  state: LinkState
  cable: CablePlan | null
  tap: TapPlan | null
}

/** Returns the wanted links, by the namespace in which they are created. */
function wantedLinks(
  plan: Compiled,
  plugged: ReadonlySet<string>,
  devices: PortDevices,
): Map<string, Map<string, WantedLink>> {
  const found = new Map([...ownSpaces].map((space) => [space, new Map<string, WantedLink>()] as const))
  for (const space of plan.spaces) if (!found.has(space.name)) found.set(space.name, new Map())
  for (const { name, mtu, up } of plan.bridges)
    found.get(switchSpace)!.set(name, { state: { kind: 'bridge', master: null, mtu, up }, cable: null, tap: null })
  for (const cable of plan.cables) {
    const { outer, mtu } = cable
    found
      .get(outer.space)!
      .set(outer.name, { state: { kind: 'veth', master: outer.bridge, mtu, up: true }, cable, tap: null })
  }
  for (const tap of plan.taps) {
    if (!plugged.has(tap.portId)) continue
    const { name, bridge, mtu, up, toGuestBits } = tap
    const state = { kind: devices === 'taps' ? 'tun' : 'veth', master: bridge, mtu, up, limit: toGuestBits }
    found.get(switchSpace)!.set(name, { state, cable: null, tap })
  }
  return found
}

function linkLines(name: string, there: LinkState | null, { state, cable, tap }: WantedLink, uid: number): string[] {
  const lines: string[] = []
  if (there === null) {
    if (state.kind === 'bridge')
      lines.push(`link add name ${name} type bridge forward_delay 0 stp_state 0 mcast_snooping 0`)
    if (state.kind === 'tun') lines.push(`tuntap add dev ${name} mode tap user ${uid}`)
    if (state.kind === 'veth' && tap)
      lines.push(`link add name ${name} type veth peer name eth0 netns ${guestSpaceOf(tap.portId)}`)
    if (cable) {
      const { inner, mtu } = cable
      lines.push(
        `link add name ${name} mtu ${mtu} type veth peer name ${inner.name} mtu ${mtu} address ${inner.mac} netns ${inner.space}`,
      )
    }
  }
  const words = [
    ...(there?.mtu !== state.mtu ? [`mtu ${state.mtu}`] : []),
    ...(state.master !== null && there?.master !== state.master ? [`master ${state.master}`] : []),
    ...(state.master === null && tap && there?.master ? ['nomaster'] : []),
    ...((there?.up ?? false) !== state.up ? [state.up ? 'up' : 'down'] : []),
  ]
  if (words.length > 0) lines.push(`link set dev ${name} ${words.join(' ')}`)
  return lines
}

/** Ignores errors, because the object may already have disappeared with the other end of its veth pair. */
const quietly = (program: 'ip' | 'tc') => `sh -c "${program} -force -batch - 2>/dev/null || :"`

/** Returns the rate limits for traffic to guests. Traffic from guests is limited by the switch rules. */
function limits(taps: TapPlan[], there: ReadonlyMap<string, LinkState>): Step[] {
  const said = (name: string) => (there.has(name) ? there.get(name)!.limit : null)
  const changed = taps.filter(({ name, toGuestBits }) => said(name) !== toGuestBits)
  const lines = changed.map(({ name, toGuestBits }) =>
    toGuestBits === null
      ? `qdisc del dev ${name} root`
      : `qdisc replace dev ${name} root tbf rate ${toGuestBits}bit burst ${Math.max(65_536, Math.round(toGuestBits / 80))} latency 50ms`,
  )
  return lines.length === 0 ? [] : [{ space: switchSpace, command: quietly('tc'), lines }]
}

/** Returns the cable devices that do not exist yet in this namespace. Their addresses and routes must also be set. */
function madeAnew(cables: CablePlan[], space: string, now: KernelState): Set<string> {
  const found = new Set<string>()
  for (const { outer, inner } of cables) {
    if (now.get(outer.space)?.links.has(outer.name)) continue
    if (inner.space === space) found.add(inner.name)
    if (outer.space === space) found.add(outer.name)
  }
  return found
}

/** Removes the prefix length of host routes (/32, /128), because the kernel lists them without it. */
const asListed = (route: string) => route.replace(/^((?:local )?[^/ ]+)\/(?:32|128)(?= )/, '$1')

/**
 * Returns the settings that make the kernel announce a device's addresses when its MAC address is set, through
 * gratuitous ARP and unsolicited neighbour advertisements. This redirects traffic immediately when an address moves to
 * another router.
 */
const tellingNeighbours = (device: string): [string, string][] => [
  [`ipv6/conf/${device}/ndisc_notify`, '1'],
  [`ipv4/conf/${device}/arp_notify`, '1'],
]

/** Sets the MAC address again, which makes the kernel announce all addresses of the device. */
const announcing = ({ name, mac }: CablePlan['inner']) => `link set dev ${name} address ${mac}`

/** Returns the cables whose inner end is in this namespace and gets a new address. */
function announcedEnds(space: SpacePlan, there: SpaceState, cables: CablePlan[], anew: Set<string>): CablePlan[] {
  const isFresh = (address: string, device: string) =>
    address.endsWith(` dev ${device}`) && (anew.has(device) || !there.addresses.has(address))
  return cables.filter(
    ({ inner }) => inner.space === space.name && [...space.addresses].some((it) => isFresh(it, inner.name)),
  )
}

function spaceSteps(space: SpacePlan, there: SpaceState, cables: CablePlan[], anew: Set<string>): Step[] {
  const isAnew = (item: string) => anew.has(/ dev (\S+)/.exec(item)?.[1] ?? '')
  // addresses and routes disappear with their device
  const devices = new Set([
    'lo',
    ...cables
      .flatMap(({ inner, outer }) => [inner, outer])
      .flatMap((end) => (end.space === space.name ? [end.name] : [])),
  ])
  const stays = (item: string) => devices.has(/ dev (\S+)/.exec(item)?.[1] ?? '')
  const steps: Step[] = []
  const freshAddresses = [...space.addresses].filter((address) => !there.addresses.has(address) || isAnew(address))
  const ends = cables.filter(({ inner }) => inner.space === space.name)
  const announced = announcedEnds(space, there, cables, anew)
  const settings = [...space.settings].filter(([key, value]) => there.settings.get(key) !== value)
  settings.push(...announced.flatMap(({ inner }) => tellingNeighbours(inner.name)))
  if (settings.length > 0) {
    const lines = settings.map(
      ([key, value]) => `echo ${value} >/proc/sys/net/${key}${key === pingGroups ? ' 2>/dev/null || :' : ''}`,
    )
    steps.push({ space: space.name, command: 'sh', lines, owners: [space.name] })
  }
  if (space.rules !== null && space.rules !== there.rules) {
    const lines = ['table inet ms', 'delete table inet ms', 'table inet ms {', space.rules, '}']
    steps.push({ space: space.name, command: 'nft -f -', lines, owners: [space.name] })
  }
  const gone = [...there.passesTo].filter((address) => !space.passesTo?.has(address))
  if (gone.length > 0) {
    const lines = gone.map(
      (address) => `conntrack -D -p udp -r ${address}${address.includes(':') ? ' -f ipv6' : ''} || :`,
    )
    steps.push({ space: space.name, command: 'sh', lines, owners: [space.name] })
  }
  const lines: string[] = []
  if (there.settings.size === 0) lines.push('link set dev lo up')
  for (const { inner, mtu } of ends) {
    const link = there.links.get(inner.name)
    if (anew.has(inner.name) || link?.mtu !== mtu || !link.up) lines.push(`link set dev ${inner.name} mtu ${mtu} up`)
  }
  const routes = new Set([...space.routes].map(asListed))
  const oldRoutes = [...there.routes].filter((route) => !routes.has(route) && !isAnew(route) && stays(route))
  const oldAddresses = [...there.addresses].filter(
    (address) => !space.addresses.has(address) && !space.moved?.has(address) && !isAnew(address) && stays(address),
  )
  lines.push(...oldRoutes.map((route) => `route del ${route}`))
  lines.push(...oldAddresses.map((address) => `address del ${address}`))
  for (const address of freshAddresses)
    lines.push(`address replace ${address}${address.split(' ')[0]!.includes(':') ? ' nodad' : ''}`)
  const lost = new Set(oldAddresses.map((address) => / dev (\S+)/.exec(address)?.[1] ?? ''))
  for (const route of routes) {
    // removing an address also removes routes through its device
    const mayBeGone = lost.has(/ dev (\S+)/.exec(route)?.[1] ?? '')
    if (there.routes.has(route) && !isAnew(route) && !mayBeGone) continue
    lines.push(`route replace ${route} proto ${routeProtocol}`)
  }
  lines.push(...announced.map(({ inner }) => announcing(inner)))
  if (lines.length > 0) {
    const owners = lines.map(() => space.name)
    steps.push({ space: space.name, command: 'ip -force -batch -', lines, owners })
  }
  return steps
}
