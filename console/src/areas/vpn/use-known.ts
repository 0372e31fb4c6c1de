import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { floatingIpKind, floatingIps, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Router } from '@mainstay/contract/networking/routers'
import { connectionKind, ipsecSiteConnections } from '@mainstay/contract/vpn/connections'
import { endpointGroupKind, endpointGroups } from '@mainstay/contract/vpn/endpoint-groups'
import { ikePolicies, ikePolicyKind, ipsecPolicies, ipsecPolicyKind } from '@mainstay/contract/vpn/policies'
import { useList } from '../../api/use-list'
import { useNetworks, useRouters, useSubnets } from '../../pickers/networking-lists'
import { useMay } from '../../session/may'
import type { Known } from './vpn-form'

/** All objects that VPN forms offer as choices and validate against. */
export interface Around extends Known {
  routers: readonly Router[]
  networks: readonly Network[]
  floatingIps: readonly FloatingIp[]
}

const all = { stateIn: 'memory', limit: MAX_LIMIT } as const

/**
 * Loads the objects that a VPN form refers to. Undefined until everything is loaded, so that options do not appear and
 * then disappear.
 */
export function useKnown(): Around | undefined {
  const may = useMay()
  const isEnabled = may(ipsecSiteConnections.list.needs)
  const lists = {
    ike: useList(ikePolicies.list, ikePolicyKind, { ...all, isEnabled }),
    ipsec: useList(ipsecPolicies.list, ipsecPolicyKind, { ...all, isEnabled }),
    groups: useList(endpointGroups.list, endpointGroupKind, { ...all, isEnabled }),
    connections: useList(ipsecSiteConnections.list, connectionKind, { ...all, isEnabled }),
    routers: useRouters(),
    subnets: useSubnets(),
    networks: useNetworks(),
  }
  const floating = useList(floatingIps.list, floatingIpKind, {
    ...{ ...all, only: { assigned: 'true' }, isEnabled: may(floatingIps.list.needs) },
  })
  // treat lists that cannot be loaded as empty; the server validates the request anyway
  if (Object.values(lists).some(({ isLoading, problem }) => isLoading && !problem)) return undefined
  const { ike, ipsec, groups, connections, routers, subnets, networks } = lists
  return {
    ...{ ike: ike.rows, ipsec: ipsec.rows, groups: groups.rows, connections: connections.rows },
    ...{ routers: routers.rows, subnets: subnets.rows, networks: networks.rows, floatingIps: floating.rows },
  }
}
