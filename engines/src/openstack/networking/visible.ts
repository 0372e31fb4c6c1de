import { fieldProblem } from '@mainstay/contract/core/problems'
import { mayUseNetwork, type AccessAction } from '@mainstay/contract/networking/access'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Scope } from '../../ports/scope'
import type { Engine } from '../engine'

/**
 * Returns a network from the index if the scope may use it for the action. Otherwise throws an error on the field:
 * `not_routable` if the network is visible but cannot be used this way, `validation` if it is not visible.
 */
export async function usableNetwork(
  engine: Pick<Engine, 'records'>,
  scope: Scope,
  id: string,
  { action, field }: { action: AccessAction; field: string },
): Promise<Network> {
  const network = await engine.records.transaction((tx) => tx.get<Network>('network', id))
  const may = (how: AccessAction) => network !== null && mayUseNetwork(scope, network, how)
  if (!network || !(may('direct') || may('routed'))) throw fieldProblem(field, 'networking.no_such_network')
  if (action === 'routed' && (!network.router_external || !may('routed')))
    throw fieldProblem(field, 'networking.no_gateway_in', { name: network.name })
  if (action === 'direct' && !may('direct'))
    throw fieldProblem(field, 'networking.not_attachable', { name: network.name })
  return network
}
