import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeAll, expect, vi } from 'vitest'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { routers, type Router } from '@mainstay/contract/networking/routers'
import { ipsecSiteConnections, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { pressAndLoad } from './press-and-load'
import { server, withPages } from './pages'
import { pageTimeout } from './page-timeout'

/* A VPN connection on a router with two networks, on the embedded engine without real traffic. */

export const as = 'project-member'
export const vpnList = '/compute/vpn'
export const key = 'known at both ends only'
export let inner: Network[]
export let edge: Router
export let office: IpsecSiteConnection

/** Opens pages on a server that has the router `edge` and its VPN connection `office`. */
export function withOffice(): void {
  withPages()
  beforeAll(makeOffice)
}

async function makeOffice(): Promise<void> {
  const outside = await server.call(networks.createPublic, {
    as: 'superuser',
    body: {
      ...{ name: 'internet', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    },
  })
  const make = (name: string, cidr: string) =>
    server.call(networks.createPrivate, { as, body: { name, subnets: [{ cidr }] } })
  inner = [await make('backend', '10.20.1.0/24'), await make('database', '10.20.2.0/24')]
  edge = await server.call(routers.create, {
    as,
    body: {
      ...{ name: 'edge', external_gateway_info: { network_id: outside.id } },
      internal_interfaces: inner.map(({ id }) => ({ network_id: id })),
    },
  })
  await server.call(routers.create, { as, body: { name: 'inner' } })
  office = await server.call(ipsecSiteConnections.create, {
    as,
    body: {
      vpnservice: { router_id: edge.id },
      ipsec_site_connection: { name: 'office', peer_address: '198.51.100.7', psk: key },
      ...{ ikepolicy: { name: 'office-ike' }, ipsecpolicy: { name: 'office-ipsec' } },
      local_ep_group: { name: 'office-local', endpoints: [subnetOf(inner[0]!)] },
      peer_ep_group: { name: 'office-peer', endpoints: ['10.77.0.0/16'] },
    },
  })
  await settled(office.id)
}

export const subnetOf = ({ subnets }: Network) => subnets[0]!.id
export const view = (id: string) => server.call(ipsecSiteConnections.view, { as, params: { id } })
export const named = async (name: string) =>
  (await server.call(ipsecSiteConnections.list, { as, query: { name: `exact:${name}` } })).data
/** Waits until the status is no longer transitional: ACTIVE, DOWN or ERROR. */
export const settled = (id: string) =>
  vi.waitFor(async () => expect((await view(id)).status).not.toMatch(/PENDING|BUILD/), { timeout: 60_000 })

export const texts = (elements: readonly Element[]) => elements.map(({ textContent }) => textContent)
/** The labels of the options in a select field. */
export async function offered(label: string): Promise<string[]> {
  await pressAndLoad(await screen.findByRole('button', { name: new RegExp(`${label}$`) }, pageTimeout))
  const options = texts(await screen.findAllByRole('option', {}, pageTimeout))
  fireEvent.keyDown(screen.getByRole('listbox'), { key: 'Escape' })
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull(), pageTimeout)
  return options
}
export async function chooseOf(label: string, option: string | RegExp) {
  await pressAndLoad(await screen.findByRole('button', { name: new RegExp(`${label}$`) }, pageTimeout))
  fireEvent.click(await screen.findByRole('option', { name: option }, pageTimeout))
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull(), pageTimeout)
}
