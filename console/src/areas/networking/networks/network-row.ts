import type { AddressUse, Network } from '@mainstay/contract/networking/networks'
import type { Router } from '@mainstay/contract/networking/routers'

/** A network with additional data for list rows: address usage and connected routers. */
export interface NetworkRow extends Network {
  use: readonly AddressUse[]
  routers: readonly Pick<Router, 'id' | 'name'>[]
}
