import type { APIRequestContext } from '@playwright/test'
import { loadBalancers, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { SweptPage } from './swept-page'

/**
 * Creates a load balancer with a pool on an existing network, for the pages that show one. Returns their IDs by name.
 */
export async function prepareLoadBalancing(
  tenant: APIRequestContext,
  network_id: string,
): Promise<Record<string, string>> {
  const { path } = loadBalancers.list
  const { data } = (await (await tenant.get(`${path}?name=exact:swept-balancer`)).json()) as { data: LoadBalancer[] }
  const draft = {
    ...{ name: 'swept-balancer', network_id },
    pools: [
      {
        ...{ name: 'swept-pool', protocol: 'HTTP', protocol_port: 80, allowed_cidrs: ['192.0.2.0/24'] },
        members: [{ address: '192.168.90.30' }, { address: '192.168.90.31', enabled: false }],
        healthmonitor: { type: 'HTTP' },
      },
    ],
  }
  const found = data[0] ?? ((await (await tenant.post(path, { data: draft })).json()) as LoadBalancer)
  return { load_balancer: found.id, balancerPool: found.pools[0]!.id }
}

const list = '/compute/load-balancers'
const one = `${list}/:load_balancer`
const pool = `${one}/:balancerPool`
const path = 'compute/load-balancers'

/** Exceptions to the default sweep for load balancer pages. */
export const loadBalancingPages: Readonly<Record<string, Partial<SweptPage>>> = {
  [path]: { at: list, action: 'Create load balancer' },
  [`${path}/add/{-$step}/{-$poolStep}`]: { at: `${list}/add`, action: 'Name' },
  [`${path}/$id`]: { at: one, action: /Add pool/ },
  [`${path}/$id/$tab`]: { at: `${one}/properties`, action: /Properties/ },
  [`${path}/$id/edit/{-$returnRoute}`]: { at: `${one}/edit`, action: 'Name' },
  [`${path}/$id/pools/add-pool/{-$step}`]: { at: `${one}/pools/add-pool`, action: /Least connections/ },
  [`${path}/$id/add-pool/{-$step}`]: { at: `${one}/add-pool`, action: /Least connections/ },
  [`${path}/$id/edit/$poolId/$part`]: { at: `${one}/edit/:balancerPool/members`, action: /Add address/ },
  [`${path}/$id/edit-pool/$poolId/$part`]: { at: `${one}/edit-pool/:balancerPool/health`, action: /Protocol/ },
  [`${path}/$id/edit-pool/$poolId`]: { at: `${one}/edit-pool/:balancerPool`, action: /Name/ },
  [`${path}/$id/$poolId/$tab`]: { at: `${pool}/members`, action: 'Close' },
  [`${path}/$id/details`]: { at: `${one}/details`, action: '24 h' },
  [`${path}/$id/pool/$poolId/details`]: { at: `${one}/pool/:balancerPool/details`, action: '24 h' },
}
