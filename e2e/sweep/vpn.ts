import type { APIRequestContext } from '@playwright/test'
import { ipsecSiteConnections, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { SweptPage } from './swept-page'

/**
 * Creates a VPN connection from an existing router to an unreachable peer, for the pages that show one. Returns its ID
 * by name.
 */
export async function prepareVpn(
  tenant: APIRequestContext,
  router_id: string,
  subnet: string,
): Promise<Record<string, string>> {
  const { path } = ipsecSiteConnections.list
  const { data } = (await (await tenant.get(`${path}?name=exact:swept-vpn`)).json()) as { data: IpsecSiteConnection[] }
  const draft = {
    vpnservice: { router_id },
    ipsec_site_connection: { name: 'swept-vpn', peer_address: '198.51.100.77', psk: 'known at both ends' },
    ikepolicy: { name: 'swept-ike', auth_algorithm: 'sha1' },
    ipsecpolicy: { name: 'swept-ipsec' },
    local_ep_group: { name: 'swept-local', endpoints: [subnet] },
    peer_ep_group: { name: 'swept-peer', endpoints: ['10.77.0.0/16', '10.78.0.0/16'] },
  }
  const found = data[0] ?? ((await (await tenant.post(path, { data: draft })).json()) as IpsecSiteConnection)
  return { ipsec_site_connection: found.id }
}

const path = 'compute/vpn'
const one = `/${path}/:ipsec_site_connection`

/** Exceptions to the default sweep for VPN connection pages. */
export const vpnPages: Readonly<Record<string, Partial<SweptPage>>> = {
  [path]: { at: `/${path}`, action: 'Create VPN connection' },
  [`${path}/add/{-$step}`]: { at: `/${path}/add`, action: /Endpoint groups/ },
  [`${path}/$id`]: { at: one, action: /Download/ },
  [`${path}/$id/$tab`]: { at: `${one}/endpoint-groups`, action: /Endpoint groups/ },
  [`${path}/$id/edit/{-$returnRoute}`]: { at: `${one}/edit`, action: 'Name' },
}
