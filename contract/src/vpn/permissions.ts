/** The parts of a connection require the same permissions as the connection. */
export const permissions = {
  collection: 'compute_vpn_ipsec_site_connections',
  item: 'compute_vpn_ipsec_site_connection',
} as const
