import { englishText } from '@mainstay/contract/core/english'
import { expect, test } from 'vitest'
import { ConnectionDraft, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import type { Router } from '@mainstay/contract/networking/routers'
import { loadTexts, textsNow } from '../../i18n/use-t'
import { randomPsk } from './psk'
import { outsideTunnel, sharedWith, subnetsOf } from './sides'
import { changedVpnForm, newVpnForm, vpnField } from './vpn-checks'
import { connectionChange, connectionDraft, emptyVpnForm, formOf, type Known, type VpnForm } from './vpn-form'

const subnet = (id: string, cidr: string) => ({ id, cidr, network_id: `net-${id}`, name: id }) as Subnet
const office = {
  ...{ id: 'office', name: 'office', router_id: 'edge', ike_version: 'v2', status: 'ACTIVE' },
  ...{ local_subnets: ['10.0.1.0/24'], remote_subnets: ['172.16.0.0/16'], description: '' },
  ...{ peer_address: '203.0.113.9', peer_id: '203.0.113.9', local_id: null, initiator: 'bi-directional' },
  ...{ dpd: { action: 'hold', interval: 30, timeout: 120 }, split_selector: false },
  ...{ local_ep_group_id: 'ours', peer_ep_group_id: 'theirs' },
} as unknown as IpsecSiteConnection
const known: Known = {
  ...{ ike: [], ipsec: [], connections: [office] },
  groups: [
    { id: 'ours', type: 'subnet', endpoints: ['one'] },
    { id: 'theirs', type: 'cidr', endpoints: ['172.16.0.0/16'] },
  ] as never,
  subnets: [subnet('one', '10.0.1.0/24'), subnet('two', '10.0.2.0/24')],
}
const whole = (change: Partial<VpnForm> = {}): VpnForm => {
  const start = emptyVpnForm(null, 'edge', ['two'])
  return {
    ...start,
    ...{ name: 'branch', peerAddress: '198.51.100.7', psk: 'known at both ends' },
    peer: { ...start.peer, cidrs: '10.9.0.0/16' },
    ...change,
  }
}
const peer = (cidrs: string) => ({ ...whole().peer, cidrs })
const faults = async (form: VpnForm) => {
  await loadTexts('vpn')
  const { error } = newVpnForm(textsNow('vpn'), known).safeParse(form)
  return Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path.join('.'), englishText(message)]))
}

test('builds a valid request with default values and with names derived from the connection name', async () => {
  expect(await faults(whole())).toEqual({})
  const draft = ConnectionDraft.parse(connectionDraft(whole()))
  expect(draft.ikepolicy).toMatchObject({
    ...{ name: 'branch-ike', ike_version: 'v2', encryption_algorithm: 'aes-256', auth_algorithm: 'sha256' },
    ...{ pfs: 'group14', lifetime: { value: 3600, units: 'seconds' } },
  })
  expect(draft.local_ep_group).toMatchObject({ name: 'branch-local', type: 'subnet', endpoints: ['two'] })
  expect(draft.peer_ep_group).toMatchObject({ name: 'branch-peer', type: 'cidr', endpoints: ['10.9.0.0/16'] })
  expect(draft.ipsec_site_connection).not.toHaveProperty('peer_id')
  // an existing group is referenced instead of created
  const withThere = whole({ peer: { ...peer(''), way: 'have', id: 'theirs' } })
  expect(connectionDraft(withThere)).toMatchObject({ ipsec_site_connection: { peer_ep_group_id: 'theirs' } })
  expect(connectionDraft(withThere)).not.toHaveProperty('peer_ep_group')
})

test('reports each error on its own field', async () => {
  expect(Object.keys(await faults(emptyVpnForm(null, null, [])))).toEqual(
    expect.arrayContaining(['router', 'local.subnets', 'peer.cidrs', 'name', 'peerAddress', 'psk']),
  )
  expect(await faults(whole({ peer: peer('10.9.0.0/16 10.8.1.1/16') }))).toEqual({
    'peer.cidrs': expect.stringMatching(/^10\.8\.1\.1\/16: .*10\.8\.0\.0\/16/),
  })
  expect(await faults(whole({ dpdInterval: 60, dpdTimeout: 60 }))).toHaveProperty('dpdTimeout')
  expect(await faults(whole({ psk: 'short' }))).toHaveProperty('psk')
  expect(await faults(whole({ psk: 'schlüssel' }))).toHaveProperty('psk')
  expect(await faults(whole({ ike: { ...whole().ike, lifetime: 59 } }))).toHaveProperty(['ike.lifetime'])
  expect(await faults(whole({ ike: { ...whole().ike, way: 'have' } }))).toHaveProperty(['ike.id'])
  // an error in a derived name is reported on the name field that it is derived from
  expect(Object.keys(await faults(whole({ name: '' })))).toEqual(['name'])
})

test('checks local and remote ranges for overlaps, IKEv1 limits and conflicts with the router’s other connections', async () => {
  expect(await faults(whole({ peer: peer('10.0.0.0/16') }))).toHaveProperty(
    ['peer.cidrs'],
    '10.0.0.0/16 overlaps the local range 10.0.2.0/24',
  )
  const old = { ...whole().ike, version: 'v1' as const }
  expect(await faults(whole({ ike: old, peer: peer('10.8.0.0/16\n10.9.0.0/16') }))).toHaveProperty(['peer.cidrs'])
  expect(await faults(whole({ ike: old }))).toEqual({})
  const local = { ...whole().local, subnets: ['one'] }
  expect(await faults(whole({ local, peer: peer('172.16.4.0/24') }))).toHaveProperty(
    ['peer.cidrs'],
    '172.16.4.0/24: VPN connection “office” already connects these networks.',
  )
  // the same ranges on another router or from another subnet do not conflict
  expect(await faults(whole({ peer: peer('172.16.4.0/24') }))).toEqual({})
  expect(await faults(whole({ local, router: 'other', peer: peer('172.16.4.0/24') }))).toEqual({})
})

test('maps server errors to form fields', () => {
  expect(
    ['vpnservice.router_id', 'ikepolicy.pfs', 'peer_ep_group.endpoints.1', 'ipsec_site_connection.psk'].map(vpnField),
  ).toEqual(['router', 'ike.group', 'peer.cidrs', 'psk'])
})

test('sends only changed fields, and an empty key keeps the saved one', async () => {
  await loadTexts('vpn')
  const start = formOf(office, known.groups)
  expect(connectionChange(start, office)).toEqual({ ipsec_site_connection: {} })
  expect(changedVpnForm(textsNow('vpn'), known, office).safeParse(start).success).toBe(true)
  const change = connectionChange({ ...start, peerAddress: '203.0.113.10', psk: 'another of both' }, office)
  expect(change).toEqual({
    // the peer ID changes with the address
    ipsec_site_connection: { peer_address: '203.0.113.10', peer_id: '203.0.113.10', psk: 'another of both' },
  })
  const moved = connectionChange({ ...start, peer: { ...peer('10.5.0.0/16'), way: 'new' } }, office)
  expect(moved).toEqual({
    ipsec_site_connection: {},
    peer_ep_group: { name: 'office-peer', type: 'cidr', endpoints: ['10.5.0.0/16'] },
  })
})

test('finds virtual machines with floating IPs, and ranges that are also used elsewhere', () => {
  const router = {
    id: 'edge',
    interfaces_info: [{ fixed_ips: [{ subnet_id: 'one' }] }, { fixed_ips: [{ subnet_id: 'two' }] }],
  } as unknown as Router
  const networks = [{ id: 'net-one', name: 'backend' }] as never
  const around = { routers: [router], subnets: known.subnets, networks, connections: [office] }
  expect(subnetsOf(router, known.subnets, networks).map(({ name }) => name)).toEqual(['backend', 'two'])
  const floating = [{ fixed_ip_address: '10.0.2.9' }, { fixed_ip_address: '10.0.1.9' }, { fixed_ip_address: null }]
  expect(outsideTunnel(['10.0.2.0/24'], floating as never)).toEqual([floating[0]])
  expect(
    sharedWith(['10.0.0.0/16', '172.16.9.0/24'], { router: 'edge', own: null, local: ['10.0.2.0/24'] }, around),
  ).toEqual([
    { name: 'backend', ranges: ['10.0.0.0/16'] },
    { name: 'office', ranges: ['172.16.9.0/24'] },
  ])
  expect(sharedWith(['172.16.9.0/24'], { router: 'edge', own: 'office', local: [] }, around)).toEqual([])
})

test('generates a long, unique key from unambiguous characters', () => {
  const keys = Array.from({ length: 50 }, randomPsk)
  expect(new Set(keys).size).toBe(50)
  for (const key of keys) expect(key).toMatch(/^[a-zA-Z2-9]{40}$/)
})
