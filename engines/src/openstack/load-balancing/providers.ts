import { lbAlgorithms, poolProtocols } from '@mainstay/contract/load-balancing/forwarding'
import type { LoadBalancerProvider } from '@mainstay/contract/load-balancing/load-balancing-service'
import { monitorTypes } from '@mainstay/contract/load-balancing/members'
import { namedId } from '../../ports/named-id'

/*
 * Load balancer providers. Octavia has the same API for all of them, and rejects requests that use an unsupported
 * feature: https://docs.openstack.org/octavia/latest/user/feature-classification/
 */

type Abilities = Omit<LoadBalancerProvider, 'name'>

const all: Abilities = {
  protocols: [...poolProtocols],
  algorithms: [...lbAlgorithms],
  monitors: [...monitorTypes],
  ...{ tls_termination: true, sticky_session: true, proxy_protocol: true, allowed_cidrs: true, connection_limit: true },
  ...{ weights: true, failover: true },
}

/** Virtual machines with HAProxy, and keepalived for UDP. */
const amphora: Abilities = { ...all, algorithms: ['LEAST_CONNECTIONS', 'ROUND_ROBIN', 'SOURCE_IP'] }

/** OVN translates addresses on all nodes. */
const ovn: Abilities = {
  protocols: ['TCP', 'UDP'],
  algorithms: ['SOURCE_IP_PORT'],
  monitors: ['TCP', 'UDP-CONNECT'],
  ...{ tls_termination: false, sticky_session: false, proxy_protocol: false, allowed_cidrs: false },
  ...{ connection_limit: false, weights: false, failover: false },
}

const known: Readonly<Record<string, Abilities>> = { amphora, octavia: amphora, amphorav2: amphora, ovn }

/** Returns the features of a provider. An unknown provider is assumed to support everything. */
export const abilitiesOf = (provider: string): LoadBalancerProvider => ({
  name: provider,
  ...(known[provider] ?? all),
})

/** Returns the ID of the row that represents load balancers from a provider without a flavor. */
export const flavorOfProvider = (provider: string): string => namedId(`load balancer flavor of provider ${provider}`)
export const profileOfProvider = (provider: string): string => namedId(`load balancer profile of provider ${provider}`)
