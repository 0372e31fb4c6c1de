import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { Engine } from '../../engine'
import { portReader } from '../../networking/ports/reader'
import { unlessGone } from '../../read-each'
import { familyOf } from '../family'
import { lbPoolReader } from '../pools/reader'
import { loadBalancerReader } from './reader'

/** Refreshes a load balancer and its pools, whose rows provide the health of its members. Throws `not_found`. */
export async function shownBalancer(engine: Engine, id: string): Promise<LoadBalancer> {
  const { listeners } = await familyOf(engine.reading, id)
  for (const listener of listeners) await unlessGone(engine.refresh(lbPoolReader, listener.id))
  const balancer = await engine.refresh(loadBalancerReader, id)
  if (balancer.port_id !== '') await unlessGone(engine.refresh(portReader, balancer.port_id))
  return balancer
}
