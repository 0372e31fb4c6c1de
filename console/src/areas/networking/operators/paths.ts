import { read } from '@mainstay/contract/core/endpoint'

export const addressUsePath = '/compute/networks/address-use'
export const whoHasPath = '/compute/networks/who-has'
export const networkHostPath = '/compute/networks/host'

/** Who may look at what all tenants' networks stand on: operators alone read nodes. */
export const physical = { needs: read('compute_nodes') }
