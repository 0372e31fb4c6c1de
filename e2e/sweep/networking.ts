import type { APIRequestContext } from '@playwright/test'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { routers, type Router } from '@mainstay/contract/networking/routers'
import type { SweptPage } from './swept-page'

/**
 * Creates networks, a router with an external gateway and a floating IP for the pages that show them. Returns their IDs
 * by name.
 */
export async function prepareNetworking(
  operator: APIRequestContext,
  tenant: APIRequestContext,
): Promise<Record<string, string>> {
  const post = async <Made>(who: APIRequestContext, path: string, data: unknown): Promise<Made> =>
    (await (await who.post(path, { data })).json()) as Made
  const named = async <Row>(who: APIRequestContext, path: string, name: string): Promise<Row | undefined> =>
    ((await (await who.get(`${path}?name=exact:${name}`)).json()) as { data: Row[] }).data[0]

  const outside =
    (await named<Network>(operator, networks.list.path, 'swept-outside')) ??
    (await post<Network>(operator, networks.createPublic.path, {
      ...{ name: 'swept-outside', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    }))
  const inside =
    (await named<Network>(tenant, networks.list.path, 'swept-inside')) ??
    (await post<Network>(tenant, networks.createPrivate.path, {
      ...{ name: 'swept-inside', subnets: [{ cidr: '192.168.90.0/24' }, { cidr: 'fd00:90::/64' }] },
    }))
  const router =
    (await named<Router>(tenant, routers.list.path, 'swept-router')) ??
    (await post<Router>(tenant, routers.create.path, {
      ...{ name: 'swept-router', external_gateway_info: { network_id: outside.id } },
      internal_interfaces: [{ network_id: inside.id }],
    }))
  await tenant.patch(fillPath(routers.update.path, { id: router.id }), {
    data: { routes: [{ destination: '10.30.0.0/16', nexthop: '192.168.90.20' }] },
  })
  const floating = (await (await tenant.get(floatingIps.list.path)).json()) as { data: { id: string }[] }
  const floatingIp =
    floating.data[0] ??
    (await post<{ id: string }>(tenant, floatingIps.create.path, { floating_network_id: outside.id }))
  const [four, six] = inside.subnets.toSorted((a, b) => a.ip_version - b.ip_version)
  return {
    ...{ network: inside.id, outsideNetwork: outside.id, router: router.id, floating_ip: floatingIp.id },
    ...{ subnet4: four!.id, subnet6: six!.id, routerPort: router.interfaces_info[0]!.port_id },
  }
}

const network = '/compute/networks/:network'
const router = '/compute/routers/:router'
const group = '/compute/security-groups/:security_group'
const floatingIp = '/compute/floating-ips/:floating_ip'

/** Exceptions to the default sweep for networking pages. */
export const networkingPages: Readonly<Record<string, Partial<SweptPage>>> = {
  'compute/networks/topology': { at: '/compute/networks/topology', action: /Find by name/ },
  'compute/networks/reach': { at: '/compute/networks/reach', action: 'From' },
  'compute/networks/address-use': { at: '/compute/networks/address-use', action: /Network host/, isForOperators: true },
  'compute/networks/who-has': { at: '/compute/networks/who-has', action: 'IP address', isForOperators: true },
  'compute/networks/host': { at: '/compute/networks/host', action: /Address usage/, isForOperators: true },
  'compute/networks/$id': { at: network, action: /Find an address/ },
  'compute/networks/$id/$tab': { at: `${network}/ports`, action: /Ports/ },
  'compute/networks/$id/add-subnet': { at: '/compute/networks/:network/add-subnet', action: 'IPv6 range' },
  'compute/networks/$id/editIPv4subnet/$subnetId': { at: `${network}/editIPv4subnet/:subnet4`, action: /Name servers/ },
  'compute/networks/$id/editIPv6subnet/$subnetId': { at: `${network}/editIPv6subnet/:subnet6`, action: /Name servers/ },
  'compute/networks/$id/edit-ipv4-subnet/$subnetId': {
    at: `${network}/edit-ipv4-subnet/:subnet4`,
    action: /Name servers/,
  },
  'compute/networks/$id/access-edit': {
    ...{ at: '/compute/networks/:outsideNetwork/access-edit', action: 'Stop sharing', isForOperators: true },
  },
  'compute/routers/$id': { at: router, action: /Add interface/ },
  'compute/routers/$id/$tab': { at: `${router}/routes`, action: /Add route/ },
  'compute/routers/$id/edit-gateway': { at: `${router}/edit-gateway`, action: /External network/ },
  'compute/routers/$id/interfaces/add': { at: `${router}/interfaces/add`, action: /Router address/ },
  'compute/routers/$id/interfaces/$itemId/edit': {
    ...{ at: `${router}/interfaces/:routerPort/edit`, action: 'Router address' },
  },
  'compute/routers/$id/routes/add': { at: `${router}/routes/add`, action: 'Destination' },
  'compute/routers/$id/routes/$itemId/edit': { at: `${router}/routes/10.30.0.0_16/edit`, action: 'Destination' },
  'compute/routers/edit/$id': { at: '/compute/routers/edit/:router', action: 'Name' },
  'compute/routers/edit-gateway/$id': { at: '/compute/routers/edit-gateway/:router', action: /External network/ },
  'compute/routers/add-interface/$id': {
    at: '/compute/routers/add-interface/:router',
    action: /Router address/,
  },
  'compute/floating-ips/add': { at: '/compute/floating-ips/add', action: /swept-outside/ },
  'compute/floating-ips/$id/assign': { at: `${floatingIp}/assign`, action: /Search by name/ },
  'compute/floating-ips/$id/edit': { at: `${floatingIp}/edit`, action: /Description/ },
  'compute/security-groups/$id': { at: group, action: /Add rule/ },
  'compute/security-groups/$id/edit/{-$returnRoute}': { at: `${group}/edit`, action: 'Description' },
  'compute/security-groups/$id/rules': { at: `${group}/rules`, action: /Add rule/ },
}
