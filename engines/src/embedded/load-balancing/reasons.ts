import type { PoolMember } from '@mainstay/contract/load-balancing/members'
import type { LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { explainReach } from '../../network-model/reach/reach'
import type { ReachObstacle } from '../../network-model/reach/types'
import type { WantedNetworks } from '../../network-model/wanted'
import type { MemberReport } from '../../network-model/wanted-balancers'

/*
 * Explains why a member is unhealthy. If packets were lost, names the obstacle computed from the networks; otherwise
 * reports the result of the health check.
 */

export interface Asker {
  /** Port ID of the load balancer. */
  portId: string
  address: string
}

export function reasonOf(
  { check, code }: Pick<MemberReport, 'check' | 'code'>,
  pool: Pick<LoadBalancerPool, 'backend_protocol_port' | 'healthmonitor'>,
  member: Pick<PoolMember, 'address' | 'name'>,
  asker: Asker,
  wanted: WantedNetworks | null,
): string {
  const port = pool.backend_protocol_port
  const type = pool.healthmonitor?.type
  const isLost = check === 'L4TOUT' || check === 'L4CON' || check === 'SOCKERR' || check.startsWith('PROC')
  const words = isLost && wanted ? obstacleWords(wanted, { port, type, member, asker }) : null
  if (words !== null) return words
  if (type === 'PING') return 'It does not respond to ping'
  if (type === 'UDP-CONNECT') return `It does not accept packets on port ${port}`
  if (check === 'L4TOUT') return `It does not respond on port ${port}`
  if (check === 'L4CON') return `It refuses connections on port ${port}`
  if (check === 'L6RSP' || check === 'L6TOUT') return `It does not speak TLS on port ${port}`
  if (check === 'L7TOUT') return 'It accepts the request but responds too late'
  if (check === 'L7STS') return `It responds with ${code ?? 'another status'} instead of 200 to 399`
  if (check === 'L7RSP') return `Its response on port ${port} is not HTTP`
  return 'Its health check fails'
}

interface Question {
  port: number
  type: string | undefined
  member: Pick<PoolMember, 'address' | 'name'>
  asker: Asker
}

function obstacleWords(wanted: WantedNetworks, { port, type, member, asker }: Question): string | null {
  const isV6 = member.address.includes(':')
  const protocol = type === 'PING' ? (isV6 ? 'icmpv6' : 'icmp') : type === 'UDP-CONNECT' ? 'udp' : 'tcp'
  const { obstacle } = explainReach(wanted, {
    ...{ from: { portId: asker.portId }, to: { address: member.address }, protocol },
    port: type === 'PING' ? null : port,
  })
  return obstacle && wordsFor(obstacle, { port, type, member, asker })
}

function wordsFor(obstacle: ReachObstacle, { port, type, member, asker }: Question): string | null {
  const who = member.name || member.address
  if (obstacle.kind === 'no_rule') {
    if (obstacle.direction === 'egress') return null
    const what = type === 'PING' ? 'ICMP' : `${type === 'UDP-CONNECT' ? 'UDP' : 'TCP'} port ${port}`
    const whose = obstacle.groupIds.length === 1 ? 'The security group' : 'No security group'
    const admits = obstacle.groupIds.length === 1 ? 'does not allow' : 'allows'
    return `${whose} of ${who} ${admits} traffic from the load balancer. Allow ${what} from ${asker.address}`
  }
  if (obstacle.kind === 'port_down') return `The network interface of ${who} is disabled`
  if (obstacle.kind === 'nobody') return `The address ${member.address} is not assigned in its network`
  if (obstacle.kind === 'network_down' || obstacle.kind === 'router_down') return 'The traffic path is disabled'
  if (obstacle.kind === 'no_way_back') return `The responses of ${who} do not reach the load balancer`
  if (obstacle.kind === 'unknown_port' || obstacle.kind === 'no_address') return null
  if (obstacle.kind === 'not_in_tunnel')
    return `The subnet of the load balancer is not in the tunnel to ${member.address}`
  if ('balancerId' in obstacle) return `The load balancer at ${member.address} does not forward the traffic`
  return `No router connects the load balancer to ${member.address}`
}
