/** Whoever reads connections reads what they are made of, and so on. */
export const permissions = {
  collection: 'compute_vpn_ipsec_site_connections',
  item: 'compute_vpn_ipsec_site_connection',
} as const
