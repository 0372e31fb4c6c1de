import { badField } from '@mainstay/contract/core/problems'
import { mayUseNetwork, type AccessAction } from '@mainstay/contract/networking/access'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Scope } from '../../ports/scope'
import type { Engine } from '../engine'

/**
 * A network as the index has it, if the scope may use it so. Throws at the field: `not_routable` for one that is seen and
 * has no way for routers, `validation` for one that is not seen.
 */
export async function usableNetwork(
  engine: Pick<Engine, 'records'>,
  scope: Scope,
  id: string,
  { action, field }: { action: AccessAction; field: string },
): Promise<Network> {
  const network = await engine.records.transaction((tx) => tx.get<Network>('network', id))
  const may = (how: AccessAction) => network !== null && mayUseNetwork(scope, network, how)
  if (!network || !(may('direct') || may('routed'))) throw badField(field, 'This network does not exist')
  if (action === 'routed' && (!network.router_external || !may('routed')))
    throw badField(field, `No router can have its gateway in ${network.name}`, 'not_routable')
  if (action === 'direct' && !may('direct'))
    throw badField(field, `Machines and routers are not attached to ${network.name} itself`, 'not_routable')
  return network
}
