import type { AddressUse, Network } from '@mainstay/contract/networking/networks'
import type { Router } from '@mainstay/contract/networking/routers'

/** A network with what a list tells of it besides: how many of its addresses are used, and what connects it. */
export interface NetworkRow extends Network {
  use: readonly AddressUse[]
  routers: readonly Pick<Router, 'id' | 'name'>[]
}
