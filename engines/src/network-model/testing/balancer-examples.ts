import { randomUUID } from 'node:crypto'
import type { WantedNetwork, WantedPort } from '../wanted'
import type { WantedBalancer, WantedMember, WantedMonitor, WantedPool } from '../wanted-balancers'
import { portOf } from './wanted-examples'

/* Load balancers for specs, with defaults for all omitted fields. */

export const memberOf = (address: string, change: Partial<WantedMember> = {}): WantedMember => ({
  ...{ id: randomUUID(), address, weight: 1 },
  ...change,
})

export const monitorOf = (type: WantedMonitor['type'], change: Partial<WantedMonitor> = {}): WantedMonitor => ({
  ...{ type, path: '/', delay: 1, timeout: 1, rise: 1, fall: 2 },
  ...change,
})

export const poolOf = (change: Partial<WantedPool> = {}): WantedPool => ({
  ...{ id: randomUUID(), mode: 'http', port: 80, memberPort: 8080, tls: null, algorithm: 'round', sticky: false },
  ...{ proxyProtocol: false, headers: [], connectionLimit: null, allowedCidrs: [], monitor: null },
  ...{ members: [], down: [] },
  ...change,
})

/** Returns a load balancer with this host number in the network's first subnet, and its port. */
export function balancerOf(
  network: WantedNetwork,
  at: number,
  pools: WantedPool[],
  change: Partial<WantedBalancer> = {},
): { balancer: WantedBalancer; port: WantedPort } {
  const subnet = network.subnets[0]!
  const port = portOf(network, at, { owner: 'balancer', spoofingProtection: false, hostname: null })
  const balancer: WantedBalancer = {
    ...{
      id: randomUUID(),
      amphoraIds: [randomUUID()],
      up: true,
      portId: port.id,
      networkId: network.id,
      mac: port.mac,
    },
    ...{ address: `${port.addresses[0]}/${subnet.cidr.split('/')[1]}`, gateway: subnet.gateway, pools },
    ...change,
  }
  return { balancer, port }
}
