import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { PoolMember } from '@mainstay/contract/load-balancing/members'
import type { LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import type { Network } from '@mainstay/contract/networking/networks'

/* Load balancer rows for specs, as reported by an engine. */

type Owner = Pick<LoadBalancer, 'project_id' | 'domain_id'>
const time = '2026-01-01T00:00:00.000Z'

/** An active load balancer without high availability. */
export const balancerRow = (
  { project_id, domain_id }: Owner,
  id: string,
  network: Network,
  address: string,
  port_id: string,
): LoadBalancer => ({
  ...{ id, name: id, description: '', status: 'ACTIVE', fault: null, enabled: true, project_id, domain_id },
  ...{ network_id: network.id, network_name: network.name, ip_version: 4, address, port_id },
  ...{ floating_ip: null, floating_ip_id: null, ha_enabled: false, flavor_id: 'single' },
  amphorae: [{ id: `${id} process`, role: 'STANDALONE', active: true, compute_id: null }],
  ...{ pools: [], members_count: 0, members_healthy: 0, members_unhealthy: 0, created_at: time, updated_at: time },
})

/** An HTTP pool with frontend and backend port 80. */
export const poolRow = (
  { id: loadbalancer_id, name: loadbalancer_name, project_id, domain_id }: LoadBalancer,
  id: string,
  members: (Pick<PoolMember, 'address' | 'health'> & Partial<PoolMember>)[],
  change: Partial<LoadBalancerPool> = {},
): LoadBalancerPool => ({
  ...{ id, name: id, description: '', loadbalancer_id, loadbalancer_name, project_id, domain_id },
  ...{ status: 'ACTIVE', fault: null, enabled: true, protocol: 'HTTP', protocol_port: 80 },
  ...{ backend_protocol: 'HTTP', backend_protocol_port: 80, tls_enabled: false, certificate: null, client_ca: null },
  ...{ lb_algorithm: 'ROUND_ROBIN', sticky_session: false, proxy_protocol_enabled: false, insert_headers: {} },
  ...{ connection_limit: -1, allowed_cidrs: [], healthmonitor: null },
  members: members.map((member) => ({
    ...{ id: `at ${member.address}`, name: '', weight: 1, enabled: true, reason: null, port_id: null },
    ...{ instance_id: null, ...member },
  })),
  ...{ members_count: members.length, members_healthy: members.length, members_unhealthy: 0 },
  ...{ created_at: time, updated_at: time, ...change },
})
