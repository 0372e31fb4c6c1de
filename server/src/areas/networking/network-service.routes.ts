import { networkService } from '@mainstay/contract/networking/network-service'
import { topology } from '@mainstay/contract/networking/topology'
import { serve } from '../../http/serve'
import { topologyOf } from './topology.service'

export const networkServiceRoutes = serve(networkService, {
  view: async ({ scope }, { areas: { networking }, ports, capabilities, engineStates }) => ({
    capabilities: capabilities.networking,
    unavailable: networking.engine ? ports.networking.unavailable() : networking.advice,
    outage: engineStates.outage(),
    host: networking.engine && scope.kind === 'system' ? await ports.networking.host() : null,
  }),
  physicalNetworks: async ({ scope }, { ports }) => ({
    data: await ports.networking.networks.physicalNetworks(scope),
  }),
})

export const topologyRoutes = serve(topology, { view: ({ scope }, tools) => topologyOf(tools, scope) })
