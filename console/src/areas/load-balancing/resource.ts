import { loadBalancerKind, loadBalancers } from '@mainstay/contract/load-balancing/load-balancers'
import { resource } from '../../nav/resource'

export const balancerResource = resource({
  kind: loadBalancerKind,
  calls: loadBalancers,
  area: 'loadBalancing',
  words: 'balancers',
  called: 'loadBalancers',
  path: 'compute/load-balancers',
  menu: { in: 'network.access', icon: 'LoadBalancerIcon', label: 'menu.loadBalancers' },
})

const { paths } = balancerResource

/** Paths to pool pages, nested under the load balancer's path (S1§2). */
export const poolPaths = {
  list: (balancer: string) => paths.below(balancer, 'pools'),
  add: (balancer: string) => paths.below(balancer, 'pools', 'add-pool'),
  view: (balancer: string, pool: string, tab: PoolTab = 'overview') => paths.below(balancer, pool, tab),
  edit: (balancer: string, pool: string) => paths.below(balancer, 'edit', pool),
  part: (balancer: string, pool: string, part: PoolPart) => paths.below(balancer, 'edit', pool, part),
}

export const poolTabs = ['overview', 'properties', 'members', 'allowed-cidrs'] as const
export type PoolTab = (typeof poolTabs)[number]
export const poolParts = ['health', 'members', 'allowed-cidrs'] as const
export type PoolPart = (typeof poolParts)[number]
