import { screen, within } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import {
  dpdActions,
  ikeVersions,
  vpnAuthAlgorithms,
  vpnEncryptionAlgorithms,
  vpnGroups,
  vpnModes,
} from '@mainstay/contract/vpn/algorithms'
import { vpnStatuses } from '@mainstay/contract/vpn/connection-status'
import { connectionKind, ipsecSiteConnections } from '@mainstay/contract/vpn/connections'
import { endpointGroups } from '@mainstay/contract/vpn/endpoint-groups'
import { ikePolicies, ipsecPolicies } from '@mainstay/contract/vpn/policies'
import { openPage, press, server } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import {
  as,
  chooseOf,
  edge,
  offered,
  office,
  settled,
  view,
  vpnList as list,
  withOffice,
} from '../../testing/vpn-office'

/* Tests which values a VPN connection accepts, in the console and on the server. */

const long = { timeout: 120_000 }
withOffice()
beforeAll(() => Promise.all([import('./views'), import('./forms')]))

const statusWords = {
  ACTIVE: 'Tunnel is up',
  DOWN: 'Tunnel is down',
  BUILD: 'Building',
  ERROR: 'Error',
  PENDING_CREATE: 'Creation pending',
  PENDING_UPDATE: 'Update pending',
  PENDING_DELETE: 'Deletion pending',
} as const

it('shows and filters by seven connection statuses [ST-078]', long, async () => {
  expect([...vpnStatuses]).toEqual(Object.keys(statusWords))
  const { id: _, ...row } = await view(office.id)
  await server.tools.inventory.from('embedded').transaction(async (records) => {
    for (const status of vpnStatuses)
      await records.put(connectionKind.name, { ...row, id: crypto.randomUUID(), name: `status ${status}`, status })
  })
  await openPage(list, as)
  for (const [status, word] of Object.entries(statusWords)) {
    const found = await screen.findByRole('row', { name: `status ${status}` }, pageTimeout)
    expect(found.textContent).toContain(word)
    const { data } = await server.call(ipsecSiteConnections.list, { as, query: { status } })
    expect(data.map(({ name }) => name)).toContain(`status ${status}`)
    expect(data.every((it) => it.status === status)).toBe(true)
  }
  const unknown = server.call(ipsecSiteConnections.list, { as, query: { status: 'ASLEEP' } })
  expect(
    await unknown.then(
      ({ data }) => data,
      () => [],
    ),
  ).toEqual([])
})

it('returns a connection’s policies, endpoint groups, service and project [EN-047]', long, async () => {
  const it = await view(office.id)
  const reads = [
    server.call(ikePolicies.view, { as, params: { id: it.ikepolicy_id } }),
    server.call(ipsecPolicies.view, { as, params: { id: it.ipsecpolicy_id } }),
    server.call(endpointGroups.view, { as, params: { id: it.local_ep_group_id } }),
    server.call(endpointGroups.view, { as, params: { id: it.peer_ep_group_id } }),
  ]
  expect((await Promise.all(reads)).map(({ name }) => name)).toEqual([
    ...['office-ike', 'office-ipsec', 'office-local', 'office-peer'],
  ])
  expect(it.vpnservice_id).toEqual(expect.any(String))
  expect(it.project_id).toBe(edge.project_id)
  expect(vpnStatuses).toContain(it.status)
})

/** Asserts that the server accepts a policy with `change` and rejects one with `other`. */
async function takes(change: object, other: object): Promise<void> {
  const name = `of-${crypto.randomUUID()}`
  const { id } = await server.call(ikePolicies.create, { as, body: { name, ...change } })
  expect(await server.call(ikePolicies.view, { as, params: { id } })).toMatchObject(change)
  await server.call(ikePolicies.delete, { as, params: { id } })
  await expect(server.call(ikePolicies.create, { as, body: { name, ...other } })).rejects.toMatchObject({
    status: 400,
  })
}

it(
  'offers exactly the supported algorithms, versions and groups [CO-079] [CO-080] [CO-081] [CO-082]',
  long,
  async () => {
    expect([...vpnAuthAlgorithms]).toEqual(['sha1', 'sha256', 'sha384', 'sha512'])
    expect([...vpnEncryptionAlgorithms]).toEqual(['3des', 'aes-128', 'aes-192', 'aes-256'])
    expect([...ikeVersions]).toEqual(['v1', 'v2'])
    expect([...vpnGroups]).toEqual(['group2', 'group5', 'group14'])
    for (const it of vpnAuthAlgorithms) await takes({ auth_algorithm: it }, { auth_algorithm: 'md5' })
    for (const it of vpnEncryptionAlgorithms) await takes({ encryption_algorithm: it }, { encryption_algorithm: 'des' })
    for (const it of ikeVersions) await takes({ ike_version: it }, { ike_version: 'v3' })
    for (const it of vpnGroups) await takes({ pfs: it }, { pfs: 'group1' })
    await openPage(`${list}/add/ike`, as)
    expect(await offered('IKE version')).toEqual(['IKEv1', 'IKEv2'])
    expect(await offered('Encryption')).toEqual(['3DES', 'AES-128', 'AES-192', 'AES-256'])
    expect(await offered('Integrity')).toEqual(['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'])
    expect(await offered('Diffie-Hellman \\(DH\\) group')).toEqual([
      ...['DH group 2 (1024 bits)', 'DH group 5 (1536 bits)', 'DH group 14 (2048 bits)'],
    ])
    // weak algorithms get a warning
    await chooseOf('Integrity', 'SHA-1')
    await within(await screen.findByRole('dialog', { name: 'IKE policy' }, pageTimeout)).findByText(
      /^SHA-1: weak/,
      {},
      pageTimeout,
    )
  },
)

it('offers exactly the supported initiators and DPD actions [CO-083] [CO-084]', long, async () => {
  expect([...vpnModes]).toEqual(['bi-directional', 'response-only'])
  expect([...dpdActions]).toEqual(['hold', 'clear', 'restart', 'disabled'])
  const change = (ipsec_site_connection: object) =>
    server.call(ipsecSiteConnections.update, {
      ...{ as, params: { id: office.id } },
      body: { ipsec_site_connection },
    })
  for (const initiator of vpnModes) {
    await change({ initiator })
    await settled(office.id)
    expect((await view(office.id)).initiator).toBe(initiator)
  }
  for (const action of dpdActions) {
    await change({ dpd: { action } })
    await settled(office.id)
    expect((await view(office.id)).dpd).toEqual({ action, interval: 30, timeout: 120 })
  }
  for (const wrong of [{ initiator: 'sometimes' }, { dpd: { action: 'shout' } }])
    await expect(change(wrong)).rejects.toMatchObject({ status: 400 })
  await openPage(`${list}/add/connection`, as)
  await press(/^Advanced/)
  expect(await offered('Initiator')).toEqual(['Either side', 'Other side only'])
  expect(await offered('Dead peer detection \\(DPD\\)')).toEqual([
    ...['Reconnect on traffic', 'Close the tunnel', 'Reconnect immediately', 'DPD disabled'],
  ])
})

it('explains that a router with an external gateway is required first', { ...long, tags: 'all' }, async () => {
  const inside = { ...edge, external_gateway_info: null }
  await server.tools.inventory.from('embedded').transaction((records) => records.put('router', inside))
  try {
    await openPage(`${list}/add`, as)
    await screen.findByText(/needs a router with an external gateway/, {}, pageTimeout)
    expect(screen.getByRole('link', { name: 'Show routers' }).getAttribute('href')).toBe('/compute/routers')
    await openPage(`${list}/add/endpoint-groups`, as)
    const ours = within(await screen.findByRole('region', { name: 'Local networks' }, pageTimeout))
    expect(ours.getByText('Choose a router to see its networks.')).toBeTruthy()
    expect(ours.queryByText(/This router has no networks/)).toBe(null)
  } finally {
    await server.tools.inventory.from('embedded').transaction((records) => records.put('router', edge))
  }
})
