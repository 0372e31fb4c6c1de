import { networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import { readFrom, serve } from '../../http/serve'

export const networkRoutes = serve(networks, readFrom<Network>(networkKind), { kind: networkKind })
