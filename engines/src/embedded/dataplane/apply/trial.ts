import { randomInt } from 'node:crypto'
import { readKernel, runProgram } from '../../../host/programs'
import type { Capsule } from '../capsule/capsule'
import { bare, canonical, isInside, readCidr, versionOf } from '../../../network-model/addresses'
import { leadsOutside } from '../../../network-model/compile/edge'
import { bridgeOf, edgeSpace, macOf, switchSpace, tapOf } from '../../../network-model/names'
import type {
  ReachAnswer,
  ReachQuestion,
  WantedNetwork,
  WantedNetworks,
  WantedPort,
} from '../../../network-model/wanted'

/*
 * Sends real packets on behalf of a port. They come from a separate namespace that has the port's MAC and IP address,
 * and enter through the port's device, so the same rules apply as for packets from the guest. Packets carry a DSCP
 * mark, which routers and NAT preserve; delivered packets are counted by this mark once they have passed all rules.
 */

type Tried = Omit<ReachAnswer, 'expected'>

interface Plan {
  /** Source port; null: sent from the edge. */
  port: WantedPort | null
  network: WantedNetwork | null
  source: string | null
  target: string
  /** Receiving port; null: the target is not a port. */
  receiver: WantedPort | null
}

const dscp = 0x2d
const space = 'probe-trial'
const [outer, inner] = ['probe0', 'eth0']

/** Throws a `RangeError` with a message for users if the question cannot be tested. */
function planTrial(wanted: WantedNetworks, question: ReachQuestion): Plan {
  const find = (id: string) => {
    const port = wanted.ports.find((it) => it.id === id)
    if (!port) throw new RangeError('The port does not exist')
    return port
  }
  const port = question.from === 'outside' ? null : find(question.from.portId)
  const asked = 'portId' in question.to ? find(question.to.portId) : null
  const versions = (addresses: string[]) => addresses.map((address) => versionOf(address))
  const version = question.protocol === 'icmpv6' ? 6 : question.protocol === 'icmp' ? 4 : null
  const fits = (address: string) => version === null || versionOf(address) === version
  const target =
    'address' in question.to
      ? canonical(question.to.address)
      : asked!.addresses.find(
          (address) => fits(address) && (!port || versions(port.addresses).includes(versionOf(address))),
        )
  if (target === undefined) throw new RangeError('The target port has no address of this IP version')
  const source = port?.addresses.find((address) => versionOf(address) === versionOf(target)) ?? null
  if (port && source === null) throw new RangeError('The port has no address of this IP version')
  const network = port ? (wanted.networks.find(({ id }) => id === port.networkId) ?? null) : null
  const floating = wanted.floating.find(({ address }) => bare(address) === target)
  const near = wanted.ports.find(
    (it) => it.networkId === port?.networkId && it.addresses.map(canonical).includes(target),
  )
  const far = wanted.ports.find((it) => it.owner !== 'router' && it.addresses.map(canonical).includes(target))
  const behind = floating ? wanted.ports.find(({ id }) => id === floating.portId) : undefined
  return { port, network, source, target, receiver: asked ?? behind ?? near ?? far ?? null }
}

/**
 * Returns the MAC address of the first hop, and its IP address unless the target is on-link, or null if no next hop is
 * known.
 */
function firstHop(
  wanted: WantedNetworks,
  { network, source, target }: Plan,
): { via: string | null; mac: string } | null {
  if (!network || source === null) return null
  const subnet = network.subnets.find(({ cidr }) => isInside(source, readCidr(cidr)))
  if (!subnet) return null
  const isNear = isInside(target, readCidr(subnet.cidr))
  const hop = isNear ? target : subnet.gateway === null ? null : bare(subnet.gateway)
  if (hop === null) return null
  const legs = wanted.routers.flatMap(({ interfaces, gateway }) => [...interfaces, ...(gateway ? [gateway] : [])])
  const ofRouter = legs.find((leg) => leg.networkId === network.id && leg.addresses.some((it) => bare(it) === hop))
  const floating = wanted.floating.find(({ address }) => bare(address) === hop)
  const gatewayOfFloating = wanted.routers.find(({ id }) => id === floating?.routerId)?.gateway
  const ofPort = wanted.ports.find(
    (it) => it.networkId === network.id && it.owner !== 'router' && it.addresses.map(canonical).includes(hop),
  )
  const isEdge =
    leadsOutside(network) && network.subnets.some(({ gateway }) => gateway !== null && bare(gateway) === hop)
  const isService = network.subnets.some(
    ({ serviceAddress }) => serviceAddress !== null && bare(serviceAddress) === hop,
  )
  const mac =
    ofRouter?.mac ??
    (gatewayOfFloating?.networkId === network.id ? gatewayOfFloating.mac : undefined) ??
    ofPort?.mac ??
    (isEdge ? macOf(`edge ${network.id}`) : isService ? macOf(`network ${network.id}`) : undefined)
  return mac === undefined ? null : { via: isNear ? null : hop, mac }
}

/**
 * Returns a shell script for the capsule. `isHeld`: a process has the port's device open, so packets are redirected
 * into it.
 */
function trialScript(wanted: WantedNetworks, question: ReachQuestion, plan: Plan, isHeld: boolean): string {
  const { port, network, source, target, receiver } = plan
  const version = versionOf(target)
  const family = version === 4 ? 'ip' : 'ip6'
  const protocol = question.protocol === 'icmpv6' ? 'ipv6-icmp' : question.protocol
  const what = question.port === null ? '' : ` th dport ${question.port}`
  const sourcePort = randomInt(61_100, 65_000)
  const device = port ? tapOf(port.id) : null
  const answers =
    question.port === null
      ? `${family === 'ip' ? 'icmp' : 'icmpv6'} type echo-reply`
      : `meta l4proto ${protocol} th sport ${question.port} th dport ${sourcePort}`
  const counted = [
    `table bridge probe_trial {`,
    ` counter delivered {\n }`,
    ` counter answered {\n }`,
    ` chain seen { type filter hook postrouting priority 300; policy accept;`,
    ...(receiver
      ? [
          `  oifname "${tapOf(receiver.id)}" ${family} dscp ${dscp} meta l4proto ${protocol}${what} counter name delivered`,
        ]
      : []),
    ...(device ? [`  oifname "${device}" ${answers} counter name answered`] : []),
    ` }`,
    `}`,
  ].join('\n')
  const leaving = `table inet probe_trial {
 counter delivered {
 }
 chain seen { type filter hook postrouting priority 300; policy accept;
  oifname "up0" ${family} dscp ${dscp} counter name delivered
 }
}`
  const marking = `table inet probe_mark {
 chain seen { type route hook output priority mangle; policy accept;
  ${family} daddr ${target} ${family} dscp set ${dscp}
 }
}`
  const send =
    question.port === null
      ? `ping -n -c 1 -W 1 ${target} >/dev/null 2>&1 && echo answered`
      : question.protocol === 'tcp'
        ? `e=$(timeout 1.2 bash -c ': </dev/tcp/${target}/${question.port}' 2>&1) && echo answered; case $e in *refused*) echo answered;; esac`
        : `e=$(bash -c 'exec 3<>/dev/udp/${target}/${question.port}; echo x >&3; read -t 1 -u 3 l; echo "$? "' 2>&1); case $e in *refused*|"0 "*) echo answered;; esac`
  const from = port ? space : edgeSpace
  return `
in_sw() { nsenter --net=/run/netns/${switchSpace} "$@"; }
clean() {
  in_sw sh -c 'ip link del dev ${outer}; nft delete table bridge probe_trial${device && !isHeld ? `; ip link del dev ${device}; ip link set dev probe1 name ${device}; ip link set dev ${device} up` : ''}'
  ip netns del ${space}
  nsenter --net=/run/netns/${from} nft delete table inet probe_mark
  nft delete table inet probe_trial
} 2>/dev/null
trap clean EXIT
${port ? place(wanted, plan, network!, source!, device!, isHeld) : ''}
in_sw nft -f - <<'END'
${counted}
END
nft -f - <<'END'
${leaving}
END
nsenter --net=/run/netns/${from} sh <<'END'
nft -f - <<'RULES'
${marking}
RULES
echo "${sourcePort} ${sourcePort}" >/proc/sys/net/ipv4/ip_local_port_range
${send}
${port ? '' : 'echo "32768 60999" >/proc/sys/net/ipv4/ip_local_port_range'}
END
in_sw nft list counters table bridge probe_trial
${receiver ? '' : 'nft list counters table inet probe_trial'}
`
}

/**
 * Creates a namespace that acts as the guest, with its MAC and IP address: behind the port's device if it is open,
 * otherwise in its place.
 */
function place(
  wanted: WantedNetworks,
  plan: Plan,
  network: WantedNetwork,
  source: string,
  device: string,
  isHeld: boolean,
): string {
  const { port, target } = plan
  const subnet = network.subnets.find(({ cidr }) => isInside(source, readCidr(cidr)))!
  const hop = firstHop(wanted, plan)
  const bits = readCidr(subnet.cidr).prefix
  const version = versionOf(source)
  const neighbour = hop?.via ?? target
  return `ip netns add ${space}
in_sw sh -c '${isHeld ? '' : `ip link set dev ${device} down; ip link set dev ${device} name probe1; `}ip link add name ${isHeld ? outer : device} mtu ${network.mtu} type veth peer name ${inner} mtu ${network.mtu} address ${port!.mac} netns ${space}' 2>/dev/null
in_sw ${
    isHeld
      ? `sh -c 'ip link set dev ${outer} up; tc qdisc add dev ${outer} ingress; tc filter add dev ${outer} parent ffff: protocol all u32 match u32 0 0 action mirred ingress redirect dev ${device}'`
      : `ip link set dev ${device} master ${bridgeOf(network.id)} up`
  }
nsenter --net=/run/netns/${space} ip -batch - <<'END'
link set dev lo up
link set dev ${inner} up
address add ${source}/${bits} dev ${inner}${version === 6 ? ' nodad' : ''}
${hop ? `neighbour replace ${neighbour} lladdr ${hop.mac} nud permanent dev ${inner}` : ''}
${hop?.via ? `route add default via ${hop.via} dev ${inner}` : ''}
END`
}

function readTrial(output: string, tookMs: number): Tried {
  const packets = (name: string) =>
    [...output.matchAll(new RegExp(`counter ${name} \\{\\s*packets (\\d+)`, 'g'))].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    )
  const answered = /^answered$/m.test(output) || packets('answered') > 0
  return { delivered: packets('delivered') > 0 || answered, answered, tookMs, fault: null }
}

export const untried = (fault: string, tookMs = 0): Tried => ({ delivered: false, answered: null, tookMs, fault })

/** Answers a reachability question by sending packets in the capsule. Throws if the test could not be run. */
export async function trial(
  capsule: Capsule,
  wanted: WantedNetworks,
  question: ReachQuestion,
  plugged: ReadonlySet<string>,
): Promise<Tried> {
  const begun = Date.now()
  const plan = planTrial(wanted, question)
  const shell = [...capsule.enter(), 'bash']
  const name = plan.port && plugged.has(plan.port.id) ? tapOf(plan.port.id) : null
  const carrier = name
    ? await readKernel(shell, `nsenter --net=/run/netns/${switchSpace} ip link show dev ${name}`)
    : ''
  const isHeld = carrier.includes('LOWER_UP')
  return readTrial(await runProgram(shell, trialScript(wanted, question, plan, isHeld)), Date.now() - begun)
}
