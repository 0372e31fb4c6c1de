import type { Router } from '@mainstay/contract/networking/routers'

/** A router's addresses in its external network. */
export const externalAddresses = ({ external_gateway_info }: Pick<Router, 'external_gateway_info'>): string[] =>
  external_gateway_info?.external_fixed_ips.map(({ ip_address }) => ip_address) ?? []

/** Routes have no ID, so their destination identifies them, including in URLs. */
export const routeId = (destination: string): string => destination.replace('/', '_')
export const destinationOf = (id: string): string => id.replace('_', '/')
