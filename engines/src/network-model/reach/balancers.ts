import { bare, isInside, readCidr } from '../addresses'
import type { Packet } from '../compile/match'
import type { ReachExplanation, ReachObstacle, ReachStep } from './types'
import type { ReachQuestion } from '../wanted'
import type { WantedBalancer, WantedPool } from '../wanted-balancers'

/* Follows a connection through a load balancer: whether its source is allowed, and whether it reaches a member. */

/** Returns the transport protocol of a pool. */
export const protocolOf = ({ mode }: Pick<WantedPool, 'mode'>): 'udp' | 'tcp' => (mode === 'udp' ? 'udp' : 'tcp')
const numbers = { tcp: 6, udp: 17 }

type Onward = { steps: ReachStep[]; obstacle: ReachObstacle | null }

/**
 * Returns the steps after a load balancer and the obstacle, if any. They apply to the first enabled member that can be
 * reached or, if there is none, to the first member. `explain` follows a connection from the load balancer itself. The
 * load balancer itself replies to pings.
 */
export function throughBalancer(
  { id, portId, up, pools }: WantedBalancer,
  { protocol, port, source, icmp }: Packet,
  explain: (question: ReachQuestion) => Pick<ReachExplanation, 'steps' | 'obstacle'>,
): Onward {
  const stopped = (obstacle: ReachObstacle): Onward => ({ steps: [], obstacle })
  if (icmp !== null) return { steps: [], obstacle: null }
  const pool = pools.find((it) => it.port === port && numbers[protocolOf(it)] === protocol)
  if (!up || !pool) return stopped({ kind: 'balancer_closed', balancerId: id })
  const { allowedCidrs, members, down, memberPort } = pool
  if (allowedCidrs.length > 0 && !allowedCidrs.some((cidr) => isInside(source, readCidr(cidr))))
    return stopped({ kind: 'balancer_refuses', balancerId: id, address: source })
  const ways = [...members, ...down].map(({ address }): Onward => {
    const question = { from: { portId }, to: { address: bare(address) }, protocol: protocolOf(pool), port: memberPort }
    const { steps, obstacle } = explain(question)
    return { steps: [{ kind: 'balancer', balancerId: id, member: bare(address) }, ...steps], obstacle }
  })
  const first = ways.find(({ obstacle }) => obstacle === null) ?? ways[0]
  return first ?? stopped({ kind: 'no_member', balancerId: id })
}
