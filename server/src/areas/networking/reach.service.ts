import type { Kind } from '@mainstay/contract/core/kind'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { addressText, parseAddress, versionOf } from '@mainstay/contract/networking/addresses'
import { loadBalancerKind, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { poolKind, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { floatingIpKind, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { networkKind, type Network } from '@mainstay/contract/networking/networks'
import { portKind, type Port } from '@mainstay/contract/networking/ports'
import type { ReachAnswer, ReachEnd, ReachQuestion, ReachStep } from '@mainstay/contract/networking/reach'
import { routerKind, type Router } from '@mainstay/contract/networking/routers'
import {
  DEFAULT_GROUP_NAME,
  securityGroupKind,
  type SecurityGroup,
} from '@mainstay/contract/networking/security-groups'
import { connectionKind, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { compileWanted, type NetworkRows } from '@mainstay/engines/networking/compile-wanted'
import { compileBalancers, withoutKeys, type BalancerRows } from '@mainstay/engines/networking/compile-balancers'
import { explainReach } from '@mainstay/engines/network-model/reach/reach'
import { explainFromOutside } from '@mainstay/engines/network-model/reach/outside'
import type { ReachTunnel } from '@mainstay/engines/network-model/reach/tunnels'
import type {
  ReachExplanation,
  ReachObstacle,
  ReachStep as ExplainedStep,
} from '@mainstay/engines/network-model/reach/types'
import { isVisible, ownedBy, redactFor } from '../../inventory/visibility'
import { serverScope } from '../../tasks/server-scope'
import type { Tools } from '../../tools'
import { isBeyondCloud } from './beyond-cloud'
import { everyRow } from '../../http/rows/every-row'

type Index = Pick<Tools, 'inventory'>
type Asked = Parameters<typeof explainReach>[1]

/** Maximum number of rows of each kind that are read to answer a question. */
const MOST_ROWS = 5000

/**
 * Explains whether packets reach a destination and which rules and hops decide it. Uses only rows and sends no packets.
 * If the caller cannot see the object in a step, the step contains no names or rules. From outside, a port is reached
 * through the floating IPs and load balancers that publish it. `connectsTo`: the floating IP or load balancer that the
 * result concerns, or null for the destination itself. Throws `not_found` for a port that the caller cannot see, and a
 * `validation` error for an address that belongs to several ports.
 */
export async function explain(
  tools: Index & Pick<Tools, 'capabilities'>,
  scope: Scope,
  question: ReachQuestion,
): Promise<{ answer: ReachAnswer; connectsTo: Way | null }> {
  const source = await endOf(tools, scope, question.source, 'source')
  const destination = await endOf(tools, scope, question.destination, 'destination')
  const { rows, balancers, connections, truncated } = await rowsAround(tools, scope, [source, destination])
  // true for the embedded engine, false for a cloud
  const isOurs = tools.capabilities.networking.published_ports
  const wanted = { ...compileWanted(rows, { snatSix: isOurs }), balancers: compileBalancers(balancers, rows) }
  const { port } = question
  const protocol = protocolOf(question, destination, source)
  const tunnels = connections.map(tunnelOf)
  let found: ReachExplanation
  let connectsTo: Way | null = null
  if (source.port || !destination.port) {
    // traffic from an address without a port enters at the edge or through a tunnel
    const from = source.port ? { portId: source.port.id } : { address: source.address!, isSeen: !isOurs }
    found = explainReach(wanted, { from, to: toOf(destination), protocol, port }, tunnels)
  } else {
    const asked = {
      from: { address: source.address!, isSeen: !isOurs },
      to: { portId: destination.port.id },
      protocol,
      port,
    }
    ;({ way: connectsTo, ...found } = explainFromOutside(wanted, asked, tunnels))
  }
  const tell = teller(scope, rows, balancers, connections)
  const steps = found.steps.map(tell.step)
  // the edge is known for the embedded engine but not for a cloud
  const isUnknown = !isOurs && isBeyondCloud(found, rows)
  if (found.obstacle) steps.push(isUnknown ? tell.beyond(found.obstacle) : tell.obstacle(found.obstacle))
  const comesFromHost = isOurs && !source.port && !found.steps.some(({ kind }) => kind === 'tunnel')
  if (comesFromHost) {
    const published = tell.published(found, { protocol: question.protocol, port: connectsTo?.port ?? port })
    if (published.state === 'passes') steps.unshift(published)
    else if (found.allowed) steps.push(published)
  }
  const verdict = truncated || isUnknown ? 'unknown' : found.allowed ? 'allowed' : 'refused'
  return { answer: { verdict, steps }, connectsTo }
}

type Way = NonNullable<ReturnType<typeof explainFromOutside>['way']>

interface End {
  port: Port | null
  address: string | null
  /** Projects that traffic may cross, in addition to the caller's. */
  projects: string[]
}

async function endOf(tools: Index, scope: Scope, end: ReachEnd, field: 'source' | 'destination'): Promise<End> {
  if ('port_id' in end) {
    const port = await tools.inventory.view<Port>(portKind, scope, end.port_id)
    return { port, address: null, projects: [port.project_id] }
  }
  const address = addressText(parseAddress(end.address)!)
  if (field === 'destination') {
    const floating = await everyRow<FloatingIp>(tools, floatingIpKind, serverScope, {
      ...{ most: 10, floating_ip_address: `exact:${address}` },
    })
    return { port: null, address, projects: floating.rows.map(({ project_id }) => project_id) }
  }
  const { rows } = await everyRow<Port>(tools, portKind, scope, { most: 2, fixed_ips: `any:${address}` })
  if (rows.length > 1) throw fieldProblem('source.address', 'networking.several_ports')
  const [port = null] = rows
  return { port, address, projects: port ? [port.project_id] : [] }
}

const toOf = ({ port, address }: End): Asked['to'] => (port ? { portId: port.id } : { address: address! })

const tunnelOf = (row: IpsecSiteConnection): ReachTunnel => ({
  ...{ id: row.id, routerId: row.router_id, localAddress: row.local_address, peerAddress: row.peer_address },
  ...{ local: row.local_subnets, remote: row.remote_subnets, isUp: row.status === 'ACTIVE' },
})

function protocolOf(question: ReachQuestion, destination: End, source: End): Asked['protocol'] {
  if (question.protocol !== 'icmp') return question.protocol
  // from outside, use the IP version of the source, because the destination address is not known yet
  if (!source.port && destination.port) return versionOf(source.address!) === 6 ? 'icmpv6' : 'icmp'
  const address = destination.address ?? destination.port?.fixed_ips[0]?.ip_address
  const version = address === undefined ? 4 : versionOf(address)
  const hasVersion4 = source.port?.fixed_ips.some(({ ip_address }) => versionOf(ip_address) === 4) ?? true
  return version === 6 || !hasVersion4 ? 'icmpv6' : 'icmp'
}

/** Reads all rows of the projects at both ends, and of the networks that they use. */
async function rowsAround(
  tools: Index,
  scope: Scope,
  ends: readonly End[],
): Promise<{
  rows: NetworkRows
  balancers: BalancerRows
  connections: IpsecSiteConnection[]
  truncated: boolean
}> {
  const own = scope.project_id === null ? [] : [scope.project_id]
  const projects = [...new Set([...ends.flatMap((end) => end.projects), ...own])]
  const filters = { most: MOST_ROWS, project_id: `in:${projects.join(',')}` }
  const [ports, routers, groups, floating, networks, balancers, pools, connections] = await Promise.all([
    everyRow<Port>(tools, portKind, serverScope, filters),
    everyRow<Router>(tools, routerKind, serverScope, filters),
    everyRow<SecurityGroup>(tools, securityGroupKind, serverScope, filters),
    everyRow<FloatingIp>(tools, floatingIpKind, serverScope, filters),
    everyRow<Network>(tools, networkKind, serverScope, filters),
    everyRow<LoadBalancer>(tools, loadBalancerKind, serverScope, filters),
    everyRow<LoadBalancerPool>(tools, poolKind, serverScope, filters),
    everyRow<IpsecSiteConnection>(tools, connectionKind, serverScope, filters),
  ])
  const known = new Set(networks.rows.map(({ id }) => id))
  const used = [
    ...ports.rows.map(({ network_id }) => network_id),
    ...routers.rows.flatMap(({ external_gateway_info }) => external_gateway_info?.network_id ?? []),
  ].filter((id) => !known.has(id))
  const shared = await tools.inventory.several<Network>(networkKind, serverScope, [...new Set(used)])
  const all = [ports, routers, groups, floating, networks, balancers, pools, connections]
  return {
    truncated: all.some((found) => found.truncated),
    connections: connections.rows,
    balancers: withoutKeys(balancers.rows, pools.rows),
    rows: {
      networks: [...networks.rows, ...shared],
      ...{ ports: ports.rows, routers: routers.rows, groups: groups.rows, floating: floating.rows },
    },
  }
}

/** Converts steps to the contract's format, including names of objects that the caller can see. */
function teller(
  scope: Scope,
  rows: NetworkRows,
  { balancers }: BalancerRows,
  connections: readonly IpsecSiteConnection[],
) {
  const byId = <Row extends { id: string }>(all: readonly Row[]) => new Map(all.map((row) => [row.id, row]))
  const all = {
    network: [networkKind, byId(rows.networks)],
    router: [routerKind, byId(rows.routers)],
    port: [portKind, byId(rows.ports)],
    security_group: [securityGroupKind, byId(rows.groups)],
    floating_ip: [floatingIpKind, byId(rows.floating)],
    load_balancer: [loadBalancerKind, byId(balancers)],
    ipsec_site_connection: [connectionKind, byId(connections)],
  } as const satisfies Record<string, readonly [Kind, ReadonlyMap<string, Entity>]>

  const seen = <Row extends Entity>(kind: keyof typeof all, id: string): Row | null => {
    const [of, found] = all[kind]
    const row = (found as ReadonlyMap<string, Entity>).get(id) as Row | undefined
    return row && isVisible(of, scope, ownedBy(of, row)) ? redactFor(of, scope, row) : null
  }
  const object = (kind: keyof typeof all, id: string): ReachStep['object'] => {
    const row = seen<Entity & Partial<Port & FloatingIp>>(kind, id)
    return row && { kind, id, name: row.device_name || row.floating_ip_address || row.name || '' }
  }
  const plain = { direction: null, object: null, rule: null, address: null }

  /**
   * Suggests the missing rule for one of the port's groups that the caller can see, preferably not the default group.
   */
  const missing = ({
    groupIds,
    direction,
    missing: what,
  }: Extract<ReachObstacle, { kind: 'no_rule' }>): Partial<ReachStep> => {
    const groups = groupIds.flatMap((id) => seen<Entity & SecurityGroup>('security_group', id) ?? [])
    const group = groups.find(({ name }) => name !== DEFAULT_GROUP_NAME) ?? groups[0]
    if (!group) return {}
    const { version, protocol, port } = what
    return {
      missing_rule: {
        ...{ security_group_id: group.id, direction, ethertype: `IPv${version}`, protocol },
        ...{ port_range_min: port, port_range_max: port },
      },
    }
  }

  const obstacle = (it: ReachObstacle): ReachStep => {
    const refused = { ...plain, code: it.kind, state: 'refused' as const }
    if ('portId' in it)
      return {
        ...refused,
        object: object('port', it.portId),
        ...(it.kind === 'no_rule' && { direction: it.direction, ...missing(it) }),
      }
    if ('routerId' in it)
      return {
        ...refused,
        object: object('router', it.routerId),
        address: 'address' in it ? it.address : 'nexthop' in it ? it.nexthop : null,
      }
    if ('networkId' in it)
      return {
        ...refused,
        object: object('network', it.networkId),
        address: 'address' in it ? it.address : 'gateway' in it ? it.gateway : null,
      }
    if ('balancerId' in it)
      return {
        ...refused,
        object: object('load_balancer', it.balancerId),
        address: 'address' in it ? it.address : null,
      }
    if ('connectionId' in it)
      return {
        ...refused,
        object: object('ipsec_site_connection', it.connectionId),
        address: 'address' in it ? it.address : null,
      }
    if ('at' in it) return { ...refused, object: object('network', it.at) }
    return { ...refused, address: 'address' in it ? it.address : null }
  }

  return {
    obstacle,
    /**
     * Step at which the host publishes a floating IP's port, which is the only way to reach a floating IP from the
     * host's network.
     */
    published({ steps }: ReachExplanation, { port, protocol }: Pick<ReachQuestion, 'port' | 'protocol'>): ReachStep {
      const entered = steps.find((it) => it.kind === 'dnat')
      const row = entered && seen<Entity & FloatingIp>('floating_ip', entered.floatingIpId)
      const open = row?.published_ports?.find((it) => it.port === port && it.protocol === protocol && it.fault === null)
      const step = { ...plain, object: row && port !== null ? object('floating_ip', row.id) : null }
      return open
        ? { ...step, code: 'published', state: 'passes', address: `${open.host_address}:${open.host_port}` }
        : { ...step, code: 'not_published', state: 'unknown' }
    },
    /** Step at which traffic leaves the networks that the cloud knows. */
    beyond: (it: ReachObstacle): ReachStep => ({ ...obstacle(it), code: 'beyond', state: 'unknown' }),
    step(step: ExplainedStep): ReachStep {
      const passes = { ...plain, code: step.kind, state: 'passes' as const }
      switch (step.kind) {
        case 'switch':
        case 'edge':
          return { ...passes, object: object('network', step.networkId) }
        case 'route':
          return { ...passes, object: object('router', step.routerId), address: step.nexthop ?? step.destination }
        case 'snat':
          return { ...passes, object: object('router', step.routerId), address: step.address }
        case 'dnat':
          return { ...passes, object: object('floating_ip', step.floatingIpId), address: step.address }
        case 'balancer':
          return { ...passes, object: object('load_balancer', step.balancerId), address: step.member }
        case 'tunnel': {
          const { connectionId, direction, peer } = step
          return { ...passes, direction, object: object('ipsec_site_connection', connectionId), address: peer }
        }
        case 'rule': {
          const group = seen<Entity & SecurityGroup>('security_group', step.groupId)
          const rule = group?.security_group_rules.find(({ id }) => id === step.ruleId) ?? null
          return { ...passes, direction: step.direction, object: object('security_group', step.groupId), rule }
        }
        case 'open':
          return { ...passes, direction: step.direction, object: object('port', step.portId) }
        case 'uplink':
          return passes
      }
    },
  }
}
