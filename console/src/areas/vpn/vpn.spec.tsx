import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { tasks } from '@mainstay/contract/core/tasks'
import { ipsecSiteConnections } from '@mainstay/contract/vpn/connections'
import { ikePolicies } from '@mainstay/contract/vpn/policies'
import { pressAndLoad } from '../../testing/press-and-load'
import { expectAddress, enter, field, openPage, page, press, server } from '../../testing/pages'
import { menuLinks } from '../../testing/menu'
import { pageTimeout } from '../../testing/page-timeout'
import {
  as,
  edge,
  inner,
  key,
  named,
  office,
  settled,
  subnetOf,
  texts,
  view,
  vpnList as list,
  withOffice,
} from '../../testing/vpn-office'

/* Tests the VPN connection pages. */

const long = { timeout: 120_000 }
withOffice()
beforeAll(() => Promise.all([import('./views'), import('./forms')]))

async function isRestarted(id: string): Promise<void> {
  await vi.waitFor(async () => {
    const { data } = await server.call(tasks.list, { as, query: { subject_id: id } })
    expect(data.map(({ name, state }) => `${name} ${state}`)).toContain('compute.ipsec_site_connection.restart success')
  }, pageTimeout)
  await settled(id)
}
const at = (...steps: string[]) => [list, office.id, ...steps].join('/')

/** Opens a page as a user with read-only access or as a domain administrator, and expects access to be denied. */
const refused = async (place: string, who: 'viewer' | 'domain-admin' = 'viewer') => {
  const { address } = await openPage(place, who)
  await vi.waitFor(() => expect(address()).toBe('/error403'), pageTimeout)
}
/** A wizard step. */
const step = async (name: string) => within(await screen.findByRole('dialog', { name }, pageTimeout))
const goOn = async (from: string, label: string) =>
  fireEvent.click((await step(from)).getByRole('button', { name: label }))

it('lists connections for users with read permission, and has a menu entry [RT-046]', long, async () => {
  await refused(list, 'domain-admin')
  await openPage(list, as)
  const row = within(await screen.findByRole('row', { name: 'office' }, pageTimeout))
  for (const text of ['198.51.100.7', '10.20.1.0/24', '10.77.0.0/16', 'IKEv2']) expect(row.getByText(text)).toBeTruthy()
  expect(row.getByRole('link', { name: 'edge' })).toBeTruthy()
  expect(await menuLinks()).toContain(list)
  expect(screen.getByRole('link', { name: 'Create VPN connection' }).getAttribute('href')).toBe(`${list}/add`)
  await pressAndLoad(await row.findByRole('button', { name: 'Actions for office' }))
  expect(texts(await screen.findAllByRole('menuitem', {}, pageTimeout))).toEqual(
    expect.arrayContaining(['Edit VPN connection', 'Delete']),
  )
})

it('creates a connection in five steps; denies access without permission [RT-047]', long, async () => {
  for (const place of ['add', 'add/ike', 'add/ipsec', 'add/endpoint-groups', 'add/connection'])
    await refused(`${list}/${place}`)
  await openPage(`${list}/add/ike`, as)
  await goOn('IKE policy', 'Next: IPsec policy')
  await goOn('IPsec policy', 'Next: Endpoint groups')
  await expectAddress(`${list}/add/endpoint-groups`)
  fireEvent.click(await screen.findByRole('checkbox', { name: /database/ }, pageTimeout))
  await enter('Remote IP ranges', '10.88.0.0/16')
  await goOn('Endpoint groups', 'Next: Connection')
  await enter('Name', 'branch')
  await enter('Peer address', '198.51.100.9')
  await press('Generate key')
  expect((await field('Pre-shared key')).value).toMatch(/^[a-zA-Z2-9]{40}$/)
  await goOn('Connection', 'Done')
  // the fifth step is the summary
  await expectAddress(`${list}/add`)
  const summary = within(await screen.findByRole('region', { name: 'Summary' }, pageTimeout))
  for (const text of ['database', '10.20.2.0/24', 'edge', '198.51.100.9', '10.88.0.0/16'])
    expect(summary.getByText(text)).toBeTruthy()
  expect(screen.getByText('branch to 198.51.100.9')).toBeTruthy()
  // shows the remaining quota
  await screen.findByRole('meter', { name: 'VPN connections' }, pageTimeout)
  await press('Create VPN connection')
  await expectAddress(list)
  const [made] = await named('branch')
  expect(made).toMatchObject({
    ...{ router_id: edge.id, peer_address: '198.51.100.9', peer_id: '198.51.100.9', initiator: 'bi-directional' },
    ...{ local_subnets: ['10.20.2.0/24'], remote_subnets: ['10.88.0.0/16'], ike_version: 'v2', split_selector: false },
    dpd: { action: 'hold', interval: 30, timeout: 120 },
  })
  const ike = await server.call(ikePolicies.view, { as, params: { id: made!.ikepolicy_id } })
  expect(ike).toMatchObject({
    ...{ name: 'branch-ike', ike_version: 'v2', encryption_algorithm: 'aes-256', auth_algorithm: 'sha256' },
    ...{ pfs: 'group14', lifetime: { units: 'seconds', value: 3600 } },
  })
  await settled(made!.id)
})

it('reports conflicts in the affected steps and sends nothing', { ...long, tags: 'all' }, async () => {
  await openPage(`${list}/add/endpoint-groups`, as)
  fireEvent.click(await screen.findByRole('checkbox', { name: /backend/ }, pageTimeout))
  await enter('Remote IP ranges', '10.77.4.0/24')
  await goOn('Endpoint groups', 'Next: Connection')
  await enter('Name', 'never-made')
  await enter('Peer address', '127.0.0.1')
  await enter('Pre-shared key', 'short')
  await goOn('Connection', 'Done')
  await press('Create VPN connection')
  await screen.findByText('10.77.4.0/24: VPN connection “office” already connects these networks.', {}, pageTimeout)
  await screen.findByText('127.0.0.0/8 cannot be used: it is reserved for loopback addresses', {}, pageTimeout)
  await screen.findByText(/^Use 8 to 128/, {}, pageTimeout)
  expect(await named('never-made')).toEqual([])
})

it('opens the form in an iframe for users with read permission [IF-010]', long, async () => {
  const place = '/iframe/vpn/add'
  await refused(place, 'domain-admin')
  const { address } = await openPage(place, 'viewer')
  // a user who sees all projects has to choose one first
  await screen.findByRole('dialog', { name: /project/i }, pageTimeout)
  expect(address()).toBe(place)
  await openPage(place, as)
  await screen.findByRole('heading', { name: 'Create VPN connection' }, pageTimeout)
  expect(page!.address()).toBe(place)
})

it('shows the tunnel status, the policies and the peer configuration, without the key [RT-048]', long, async () => {
  await refused(at(), 'domain-admin')
  await openPage(at(), as)
  await screen.findByRole('heading', { name: 'office' }, pageTimeout)
  const now = await view(office.id)
  const state = within(await screen.findByRole('region', { name: /Why is the tunnel down|Tunnel status/ }, pageTimeout))
  expect(
    state.getByText(now.status === 'ACTIVE' ? 'Tunnel is up' : now.status === 'DOWN' ? 'Tunnel is down' : 'Error'),
  ).toBeTruthy()
  if (now.reason !== null && now.status !== 'ACTIVE') await state.findByText(now.reason, {}, pageTimeout)
  const ike = within(await screen.findByRole('region', { name: 'IKE policy' }, pageTimeout))
  for (const text of ['office-ike', 'IKEv2', 'AES-256', 'SHA-256', 'DH group 14 (2048 bits)', '3,600 seconds'])
    expect(await ike.findByText(text, {}, pageTimeout)).toBeTruthy()
  const settings = within(await screen.findByRole('region', { name: 'Peer configuration' }, pageTimeout))
  await settings.findByText(/proposals = aes256-sha256-modp2048/, {}, pageTimeout)
  expect(document.body.textContent).not.toContain(key)
  fireEvent.click(settings.getByRole('radio', { name: 'Other devices' }))
  for (const text of ['198.51.100.7', '10.77.0.0/16', '10.20.1.0/24'])
    expect((await settings.findAllByText(text, {}, pageTimeout)).length).toBeGreaterThan(0)
  fireEvent.click(screen.getByRole('tab', { name: 'Endpoint groups' }))
  await expectAddress(at('endpoint-groups'))
  expect(
    await within(await screen.findByRole('region', { name: /^Local networks/ }, pageTimeout)).findByText(
      'backend',
      {},
      pageTimeout,
    ),
  ).toBeTruthy()
  fireEvent.click(screen.getByRole('tab', { name: 'Events' }))
  await expectAddress(at('events'))
  await screen.findByText('VPN connection “office” created', {}, pageTimeout)
})

it(
  'edits a connection, returns to the previous page, and keeps the key if its field is empty [RT-049] [IF-011]',
  long,
  async () => {
    for (const place of [at('edit'), `/iframe/vpn/${office.id}/edit`]) {
      await refused(place)
      await openPage(place, as)
      expect((await field('Name')).value).toBe('office')
      // the API never returns the key
      expect((await field(/^Pre-shared key/)).value).toBe('')
    }
    await openPage(at('edit', 'list'), as)
    await enter('Peer address', '198.51.100.8')
    await press('Save')
    await expectAddress(list)
    expect(await view(office.id)).toMatchObject({
      peer_address: '198.51.100.8',
      peer_id: '198.51.100.8',
      name: 'office',
    })
    await settled(office.id)
    await openPage(at('edit'), as)
    await enter(/^Description/, 'the head office')
    await press('Save')
    await expectAddress(at())
    expect((await view(office.id)).description).toBe('the head office')
    await settled(office.id)
  },
)

it('edits, restarts and deletes a connection from its row menu, and several at once [UI-024]', long, async () => {
  const { ikepolicy_id, ipsecpolicy_id } = office
  for (const [name, range] of [
    ['old-one', '10.91.0.0/16'],
    ['old-two', '10.92.0.0/16'],
  ] as const) {
    const { id } = await server.call(ipsecSiteConnections.create, {
      as,
      body: {
        vpnservice: { router_id: edge.id },
        ipsec_site_connection: { name, peer_address: '198.51.100.11', psk: key, ikepolicy_id, ipsecpolicy_id },
        local_ep_group: { name: `${name}-local`, endpoints: [subnetOf(inner[0]!)] },
        peer_ep_group: { name: `${name}-peer`, endpoints: [range] },
      },
    })
    await settled(id)
  }
  const [one] = await named('old-one')
  await openPage(list, as)
  const menu = async (item: string) => {
    const row = within(await screen.findByRole('row', { name: 'old-one' }, pageTimeout))
    await pressAndLoad(await row.findByRole('button', { name: 'Actions for old-one' }))
    fireEvent.click(await screen.findByRole('menuitem', { name: item }, pageTimeout))
  }
  const answer = async (title: string, verb: string) => {
    const question = within(await screen.findByRole('alertdialog', { name: title }, pageTimeout))
    // the button is busy while the server checks the request
    fireEvent.click(await question.findByRole('button', { name: verb }, pageTimeout))
  }
  await menu('Edit VPN connection')
  await expectAddress(`${list}/${one!.id}/edit/list`)
  await enter(/^Description/, 'goes soon')
  await press('Save')
  await expectAddress(list)
  await settled(one!.id)
  expect((await view(one!.id)).description).toBe('goes soon')
  // this test has no WebSocket, so reload the page
  await openPage(list, as)
  await menu('Restart')
  await answer('Restart VPN connection “old-one”?', 'Restart')
  await isRestarted(one!.id)
  await openPage(list, as)
  await menu('Delete')
  await answer('Delete VPN connection “old-one”?', 'Delete VPN connection')
  await vi.waitFor(async () => expect(await named('old-one')).toEqual([]), pageTimeout)
  // a policy used by another connection is kept
  expect(await server.call(ikePolicies.view, { as, params: { id: ikepolicy_id } })).toMatchObject({
    name: 'office-ike',
  })
  const choose = async () =>
    fireEvent.click(within(await screen.findByRole('row', { name: 'old-two' }, pageTimeout)).getByRole('checkbox'))
  const [two] = await named('old-two')
  await choose()
  await press('Restart 1')
  await answer('Restart 1 VPN connection?', 'Restart 1 VPN connection')
  await isRestarted(two!.id)
  await openPage(list, as)
  await choose()
  await press('Delete 1')
  await answer('Delete 1 VPN connection?', 'Delete 1 VPN connection')
  await vi.waitFor(async () => expect(await named('old-two')).toEqual([]), pageTimeout)
})

it('shows the request as code, with a variable in place of the key', { ...long, tags: 'all' }, async () => {
  await openPage(`${list}/add/connection`, as)
  await enter('Name', 'shown-as-code')
  await enter('Peer address', '198.51.100.30')
  await enter('Pre-shared key', key)
  await goOn('Connection', 'Done')
  await press('Show code')
  await waitFor(() => expect(document.body.textContent).toContain('$PSK'), pageTimeout)
  expect(document.body.textContent).toContain('198.51.100.30')
  expect(document.body.textContent).not.toContain(key)
})
