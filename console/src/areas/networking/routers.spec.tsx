import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { routers, type Router } from '@mainstay/contract/networking/routers'
import { pressAndLoad } from '../../testing/press-and-load'
import {
  expectAddress,
  dialog,
  enter,
  field,
  openPage,
  press,
  deleteRow,
  confirmDialog,
  server,
  withPages,
} from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

const long = { timeout: 120_000 }
const as = 'project-member'
withPages()
// load the chunks first: on a busy machine, importing them can exceed the page timeout
beforeAll(() => Promise.all([import('./views'), import('./forms')]))

const list = '/compute/routers'
let edge: Router
let front: Network
let office: Network
beforeAll(async () => {
  office = await server.call(networks.createPublic, {
    as: 'superuser',
    body: {
      ...{ name: 'office', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    },
  })
  front = await server.call(networks.createPrivate, {
    as,
    body: { name: 'front', subnets: [{ cidr: '192.168.80.0/24' }] },
  })
  for (const [name, cidr] of [
    ['back', '192.168.81.0/24'],
    ['side', '192.168.82.0/24'],
  ] as const)
    await server.call(networks.createPrivate, { as, body: { name, subnets: [{ cidr }] } })
  edge = await server.call(routers.create, {
    as,
    body: { name: 'edge', internal_interfaces: [{ network_id: front.id }] },
  })
})
const now = () => server.call(routers.view, { as, params: { id: edge.id } })
const connected = async () => (await now()).interfaces_info.map(({ network_name }) => network_name)
/** Chooses an option in a select field. */
async function take(form: Awaited<ReturnType<typeof dialog>>, label: RegExp, name: string | RegExp) {
  await pressAndLoad(await form.findByRole('button', { name: label }, pageTimeout))
  fireEvent.click(await screen.findByRole('option', { name }, pageTimeout))
}
const refused = async (place: string) => {
  const { address } = await openPage(place, 'viewer')
  await vi.waitFor(() => expect(address()).toBe('/error403'), pageTimeout)
}

it('lists routers with their external gateway and number of connected networks [RT-100]', long, async () => {
  await openPage(list, as)
  const row = within(await screen.findByRole('row', { name: 'edge' }, pageTimeout))
  expect(row.getByText('No external gateway')).toBeTruthy()
  expect(row.getByText('1')).toBeTruthy()
})

it('lets permitted users create a router [RT-101] [IF-004]', long, async () => {
  await refused(`${list}/add`)
  await refused('/iframe/routers/add')
  await openPage('/iframe/routers/add', as)
  await field('Name')
  await openPage(`${list}/add`, as)
  await enter('Name', 'inner')
  // an external network is preselected
  await (await dialog('Create router')).findByRole('button', { name: /^office.*External network/ }, pageTimeout)
  await press('Create router')
  await expectAddress(list)
  const { data } = await server.call(routers.list, { as, query: { name: 'exact:inner' } })
  expect(data).toMatchObject([{ external_gateway_info: { network_id: office.id }, interfaces_info: [] }])
})

it('preselects the next network that can be connected, until none are left', long, async () => {
  // the range of this network overlaps the range of `front`
  const body = { name: 'clash', subnets: [{ cidr: '192.168.80.128/25' }] }
  const { id } = await server.call(networks.createPrivate, { as, body })
  await openPage(`${list}/add`, as)
  const form = await dialog('Create router')
  const isBarred = (button: HTMLElement) =>
    button.getAttribute('aria-disabled') === 'true' || button.hasAttribute('disabled')
  const chosen = () => form.queryAllByRole('button', { name: /Network/ }).map((it) => it.textContent ?? '')
  const add = await form.findByRole('button', { name: /^Connect network/ }, pageTimeout)
  await vi.waitFor(() => expect(isBarred(add)).toBe(false), pageTimeout)
  for (let count = 1; !isBarred(form.getByRole('button', { name: /^Connect network/ })); count++) {
    fireEvent.click(form.getByRole('button', { name: /^Connect network/ }))
    await vi.waitFor(() => expect(chosen()).toHaveLength(count), pageTimeout)
    // no network may be preselected twice; checked inside the loop, since the test timeout cannot stop an endless loop
    expect(new Set(chosen()).size).toBe(count)
  }
  const names = chosen().join()
  expect(names.includes('front') && names.includes('clash')).toBe(false)
  expect(form.queryByText(/overlap/i)).toBeNull()
  expect(names).toContain('back')
  await server.call(networks.delete, { as, params: { id } })
})

it('lets permitted users rename a router, over the list and in a frame [RT-102] [IF-005]', long, async () => {
  const places = [`${list}/edit/${edge.id}`, `/iframe/routers/${edge.id}/edit`]
  for (const place of places) await refused(place)
  await openPage(places[1]!, as)
  expect((await field('Name')).value).toBe('edge')
  await openPage(places[0]!, as)
  await enter('Name', 'edge-one')
  await press('Save')
  await expectAddress(list)
  expect((await now()).name).toBe('edge-one')
  await server.call(routers.update, { as, params: { id: edge.id }, body: { name: 'edge' } })
})

it("edits a router's external gateway at its own URL [RT-103]", long, async () => {
  await openPage(`${list}/edit-gateway/${edge.id}`, as)
  const form = await dialog('Gateway for “edge”')
  await take(form, /External network/, /^office/)
  await press('Save')
  await expectAddress(list)
  expect((await now()).external_gateway_info).toMatchObject({ network_id: office.id, enable_snat: true })
  await openPage(`${list}/edit-gateway/${edge.id}`, as)
  await take(await dialog('Gateway for “edge”'), /External network/, 'No external gateway')
  await press('Save')
  await expectAddress(list)
  expect((await now()).external_gateway_info).toBeNull()
})

it('adds an interface over the list, over the details and in a frame [RT-104] [RT-107] [IF-006]', long, async () => {
  await openPage(`/iframe/routers/${edge.id}/interfaces/add`, as)
  await field(/^Router address/)
  for (const [place, name, back] of [
    [`${list}/add-interface/${edge.id}`, 'side', list],
    [`${list}/${edge.id}/interfaces/add`, 'back', `${list}/${edge.id}`],
  ] as const) {
    await openPage(place, as)
    await take(await dialog('Add interface to “edge”'), /Network/, new RegExp(name))
    await press('Add interface')
    await expectAddress(back)
    expect(await connected()).toContain(name)
  }
})

it('lists interfaces in a tab, and edits each in a form [RT-105] [RT-109] [IF-008]', long, async () => {
  await openPage(`${list}/${edge.id}/interfaces`, as)
  const tab = await screen.findByRole('tab', { name: /Interfaces/ }, pageTimeout)
  expect(tab.getAttribute('aria-selected')).toBe('true')
  const table = within(await screen.findByRole('table', { name: 'Interfaces' }, pageTimeout))
  expect(table.getByText('192.168.80.1')).toBeTruthy()
  const card = (await now()).interfaces_info.find(({ network_id }) => network_id === front.id)
  for (const place of ['/iframe/routers', list]) {
    await openPage(`${place}/${edge.id}/interfaces/${card!.port_id}/edit`, as)
    expect((await field('Router address')).value).toBe(card!.fixed_ips[0]!.ip_address)
  }
  await enter('Router address', '10.1.1.1')
  await screen.findByText(/^Use an address in 192\.168\.80\./, {}, pageTimeout)
  await enter('Router address', '192.168.80.9')
  await press('Save')
  await expectAddress(`${list}/${edge.id}`)
  const changed = (await now()).interfaces_info.find(({ port_id }) => port_id === card!.port_id)
  expect(changed!.fixed_ips).toMatchObject([{ ip_address: '192.168.80.9' }])
})

it('lists routes in a tab, and adds and edits them [RT-106] [RT-108] [RT-110] [IF-007] [IF-009]', long, async () => {
  await openPage(`/iframe/routers/${edge.id}/routes/add`, as)
  await field('Destination')
  await openPage(`${list}/${edge.id}/routes/add`, as)
  await enter('Destination', '10.30.0.0/16')
  await enter('Next hop', '10.1.1.1')
  await screen.findByText(/The router has no interface on this address’s network/, {}, pageTimeout)
  await enter('Next hop', '192.168.80.20')
  await press('Add route')
  await expectAddress(`${list}/${edge.id}/routes`)
  expect((await now()).routes).toEqual([{ destination: '10.30.0.0/16', nexthop: '192.168.80.20' }])
  const tab = await screen.findByRole('tab', { name: /Routes/ }, pageTimeout)
  expect(tab.getAttribute('aria-selected')).toBe('true')
  await screen.findByText('10.30.0.0/16', {}, pageTimeout)
  for (const place of ['/iframe/routers', list]) {
    await openPage(`${place}/${edge.id}/routes/10.30.0.0_16/edit`, as)
    expect((await field('Destination')).value).toBe('10.30.0.0/16')
  }
  await enter('Next hop', '192.168.80.21')
  await press('Save')
  await expectAddress(`${list}/${edge.id}/routes`)
  expect((await now()).routes[0]!.nexthop).toBe('192.168.80.21')
})

it(
  'removes an interface on the router page, and deletes a router with its interfaces from the list [UI-023]',
  long,
  async () => {
    const ends = { name: 'aside', subnets: [{ cidr: '192.168.83.0/24' }] }
    const aside = await server.call(networks.createPrivate, { as, body: ends })
    const internal_interfaces = [{ network_id: front.id, ip_address: '192.168.80.77' }, { network_id: aside.id }]
    const { id } = await server.call(routers.create, { as, body: { name: 'doomed', internal_interfaces } })
    await openPage(`${list}/${id}/interfaces`, as)
    await press('Remove interface on aside')
    await confirmDialog()
    const { interfaces_info } = await server.call(routers.view, { as, params: { id } })
    expect(interfaces_info.map(({ network_name }) => network_name)).toEqual(['front'])
    await openPage(list, as)
    await screen.findByRole('row', { name: 'edge' }, pageTimeout)
    await deleteRow('doomed')
    const left = async () => (await server.call(routers.list, { as, query: { id } })).data
    await vi.waitFor(async () => expect(await left()).toEqual([]), pageTimeout)
  },
)
