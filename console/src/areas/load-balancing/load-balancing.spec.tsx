import { lbFlavors } from '@mainstay/contract/load-balancing/flavors'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { LoadBalancer, loadBalancers, loadBalancerKind } from '@mainstay/contract/load-balancing/load-balancers'
import { LoadBalancerPool, loadBalancerPools, poolKind } from '@mainstay/contract/load-balancing/pools'
import { PoolMember } from '@mainstay/contract/load-balancing/members'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { textsNow } from '../../i18n/use-t'
import { pressAndLoad } from '../../testing/press-and-load'
import { expectAddress, enter, field, openPage, page, press, server, withPages } from '../../testing/pages'
import { menuLinks } from '../../testing/menu'
import { pageTimeout } from '../../testing/page-timeout'
import { availability } from './words'

/* Tests the load balancer pages on the embedded engine, without real traffic. */

const long = { timeout: 120_000 }
const as = 'project-member'
withPages()
beforeAll(() => Promise.all([import('./views'), import('./forms')]))

const list = '/compute/load-balancers'
let backend: Network
let shop: LoadBalancer
beforeAll(async () => {
  backend = await server.call(networks.createPrivate, {
    as,
    body: { name: 'backend', subnets: [{ cidr: '192.168.90.0/24' }] },
  })
  const made = await server.call(loadBalancers.create, {
    as,
    body: {
      ...{ name: 'shop', network_id: backend.id },
      pools: [
        {
          ...{ name: 'web', protocol: 'HTTP', protocol_port: 80, backend_protocol_port: 8080 },
          members: [{ address: '192.168.90.11' }, { address: '192.168.90.12', enabled: false }],
          healthmonitor: { type: 'HTTP', url_path: '/healthz' },
          allowed_cidrs: ['192.0.2.0/24'],
        },
      ],
    },
  })
  await settled(made.id)
})
const view = (id: string) => server.call(loadBalancers.view, { as, params: { id } })
async function settled(id: string): Promise<void> {
  await vi.waitFor(async () => expect((shop = await view(id)).status).toBe('ACTIVE'), { timeout: 60_000 })
}
const pool = async () => {
  const { data } = await server.call(loadBalancerPools.list, { as, query: { loadbalancer_id: shop.id } })
  return data.find(({ name }) => name === 'web')!
}
const at = (...steps: string[]) => [list, shop.id, ...steps].join('/')
const framed = (...steps: string[]) => ['/iframe/load-balancers', shop.id, ...steps].join('/')
const refused = async (place: string) => {
  const { address } = await openPage(place, 'viewer')
  await vi.waitFor(() => expect(address()).toBe('/error403'), pageTimeout)
}
const number = (label: string | RegExp) => screen.findByRole('textbox', { name: label }, pageTimeout)
async function fill(label: string | RegExp, value: string) {
  const input = await number(label)
  fireEvent.change(input, { target: { value } })
  fireEvent.blur(input)
}
const heading = (name: string) => screen.findByRole('heading', { name }, pageTimeout)

it(
  'lists load balancers with address, status, healthy members and network, and has a menu entry [RT-083] [UI-025]',
  long,
  async () => {
    await openPage(list, as)
    const row = within(await screen.findByRole('row', { name: 'shop' }, pageTimeout))
    // one member is disabled, and disabled members do not count as unhealthy
    for (const text of [shop.address, 'Active', '1 of 2', 'Standalone'])
      expect(row.getAllByText(text).length).toBeGreaterThan(0)
    expect(row.getByRole('link', { name: 'backend' })).toBeTruthy()
    expect(await menuLinks()).toContain(list)
    expect(screen.getByRole('link', { name: 'Create load balancer' }).getAttribute('href')).toBe(`${list}/add`)
  },
)

it(
  'creates a load balancer, its pool, members and health check step by step; denies access without permission [RT-084] [RT-085] [RT-086] [RT-087] [IF-012] [IF-013] [IF-014] [IF-015]',
  long,
  async () => {
    const steps = [
      ['', 'Name'],
      ['/add-pool', 'Port$'],
      ['/add-pool/vms', 'Add virtual machine'],
      ['/add-pool/healthmonitor', 'Interval'],
    ] as const
    for (const [step, label] of steps)
      for (const place of ['/iframe/load-balancers/add', `${list}/add`]) {
        await refused(`${place}${step}`)
        await openPage(`${place}${step}`, as)
        await screen.findByLabelText(new RegExp(`^${label}`), { selector: 'input' }, pageTimeout)
      }
    // walk through the pool steps and return to the summary page
    await openPage(`${list}/add/add-pool`, as)
    await fill(/^Member port/, '9090')
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Next: Members' }))
    await press('Add address')
    fireEvent.change(
      within(await screen.findByRole('region', { name: 'Member 1' }, pageTimeout)).getByLabelText('Address'),
      {
        target: { value: '192.168.90.21' },
      },
    )
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Next: Health check' }))
    await enter('Path', '/ready')
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Done' }))
    await screen.findByText('HTTP 80 to HTTP 9090', {}, pageTimeout)
    await screen.findByText('1 member')
    await screen.findByText('HTTP /ready every 5 s, unhealthy after 3 failures')
    await enter('Name', 'made-here')
    await press('Create load balancer')
    await expectAddress(list)
    const { data } = await server.call(loadBalancers.list, { as, query: { name: 'exact:made-here' } })
    expect(data).toMatchObject([{ network_id: backend.id, enabled: true, members_count: 1 }])
    const made = await server.call(loadBalancerPools.list, { as, query: { loadbalancer_id: data[0]!.id } })
    expect(made.data).toMatchObject([
      {
        ...{ protocol: 'HTTP', protocol_port: 80, backend_protocol_port: 9090, lb_algorithm: 'LEAST_CONNECTIONS' },
        members: [{ address: '192.168.90.21', weight: 1 }],
        healthmonitor: { type: 'HTTP', url_path: '/ready', delay: 5, timeout: 3 },
        insert_headers: { 'X-Forwarded-For': true, 'X-Forwarded-Port': true, 'X-Forwarded-Proto': true },
      },
    ])
  },
)

it('shows pool validation errors on their fields and sends nothing', { ...long, tags: 'all' }, async () => {
  await openPage(`${list}/add/add-pool`, as)
  await fill(/^Member port/, '')
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Next: Members' }))
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Next: Health check' }))
  await fill(/^Timeout/, '5')
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Done' }))
  await enter('Name', 'never-made')
  await press('Create load balancer')
  // the wizard opens the step with the first error
  await waitFor(() => expect(document.body.textContent).toMatch(/The timeout must be|Enter a port from/), pageTimeout)
  expect(page!.address()).not.toBe(list)
  const { data } = await server.call(loadBalancers.list, { as, query: { name: 'exact:never-made' } })
  expect(data).toEqual([])
})

it('opens on the pools tab, next to the overview and properties tabs [RT-088] [RT-090] [RT-091]', long, async () => {
  await openPage(at(), as)
  await expectAddress(at('pools'))
  const table = within(await screen.findByRole('table', { name: 'Pools' }, pageTimeout))
  for (const text of ['web', 'HTTP 80 to HTTP 8080', 'Least connections', '1 of 2'])
    expect(table.getByText(text)).toBeTruthy()
  fireEvent.click(screen.getByRole('tab', { name: 'Properties' }))
  await expectAddress(at('properties'))
  const { name: flavor } = await server.call(lbFlavors.view, { as, params: { id: shop.flavor_id } })
  await screen.findByText(flavor)
  fireEvent.click(screen.getByRole('tab', { name: 'Overview' }))
  await expectAddress(at('overview'))
  await openPage(at('properties'), as)
  expect((await screen.findByRole('tab', { name: 'Properties' }, pageTimeout)).getAttribute('aria-selected')).toBe(
    'true',
  )
})

it('edits a load balancer; denies access without permission [RT-089] [IF-016]', long, async () => {
  for (const place of [framed('edit'), at('edit')]) {
    await refused(place)
    await openPage(place, as)
    expect((await field('Name')).value).toBe('shop')
  }
  await openPage(at('edit', 'list'), as)
  await enter(/^Description/, 'for the shop')
  await press('Save')
  await expectAddress(list)
  expect((await view(shop.id)).description).toBe('for the shop')
  await settled(shop.id)
})

it(
  'adds a pool from the pools tab in separate steps [RT-092] [RT-093] [RT-094] [IF-017] [IF-018] [IF-019]',
  long,
  async () => {
    for (const place of [framed('add-pool'), at('pools', 'add-pool')]) {
      await refused(place)
      await openPage(place, as)
      await heading('Add pool')
      await openPage(`${place}/vms`, as)
      await screen.findByRole('combobox', { name: /Add virtual machine/ }, pageTimeout)
      await openPage(`${place}/healthmonitor`, as)
      await number(/^Interval/)
    }
    await openPage(at('pools'), as)
    expect((await screen.findByRole('link', { name: 'Add pool' }, pageTimeout)).getAttribute('href')).toBe(
      at('pools', 'add-pool'),
    )
    await openPage(at('pools', 'add-pool'), as)
    await enter(/^Name/, 'database')
    await fill(/^Port optional|^Port$/, '5432')
    await press('Add pool')
    await expectAddress(at('pools'))
    await screen.findByRole('link', { name: 'database' }, pageTimeout)
    await settled(shop.id)
  },
)

it(
  'offers three algorithms and the health check protocols that match the forwarding, allows at most 2e9 connections, and saves the selection [CO-064] [CO-067] [CO-070]',
  long,
  async () => {
    /** Opens a select, checks its options, and chooses one. */
    const choose = async (label: RegExp, chosen: string, offered: string[]) => {
      await press(label)
      // the capabilities may still be loading
      await waitFor(() => {
        const options = within(screen.getByRole('listbox')).getAllByRole('option')
        expect(options.map(({ textContent }) => textContent)).toEqual(offered)
      }, pageTimeout)
      fireEvent.click(screen.getByRole('option', { name: chosen }))
    }
    const toHealth = async () => {
      fireEvent.click(await screen.findByRole('link', { name: /: Health check$/ }, pageTimeout))
      await number(/^Interval/)
    }
    await openPage(at('pools', 'add-pool'), as)
    await enter(/^Name/, 'chosen')
    await fill(/^Port optional|^Port$/, '8090')
    const byClient = 'Source IP'
    await choose(/Algorithm/, byClient, ['Least connections', 'Round robin', byClient])
    await press('Advanced')
    await fill(/^Connection limit/, '2000000001')
    expect((await field(/^Connection limit/)).value).toBe('2,000,000,000')
    await toHealth()
    await choose(/Protocol/, 'PING', ['HTTP', 'HTTPS', 'TCP', 'PING'])
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Done' }))
    await press('Add pool')
    await expectAddress(at('pools'))
    const { data } = await server.call(loadBalancerPools.list, { as, query: { loadbalancer_id: shop.id } })
    expect(data.find(({ name }) => name === 'chosen')).toMatchObject({
      ...{ lb_algorithm: 'SOURCE_IP', connection_limit: 2e9, healthmonitor: { type: 'PING' } },
    })
    await openPage(at('pools', 'add-pool'), as)
    await press(/Forwarding/)
    fireEvent.click(await screen.findByRole('option', { name: 'UDP to UDP' }, pageTimeout))
    await toHealth()
    await choose(/Protocol/, 'UDP', ['UDP'])
    await settled(shop.id)
  },
)

it(
  'edits a pool’s settings, health check, members and allowed source ranges [RT-095] [RT-096] [RT-097] [RT-098] [IF-020] [IF-021] [IF-022] [IF-023]',
  long,
  async () => {
    const { id } = await pool()
    for (const place of [at('edit', id), framed('edit-pool', id)]) {
      await refused(place)
      await openPage(place, as)
      expect((await field(/^Name/)).value).toBe('web')
      expect(screen.getAllByText('HTTP 80 to HTTP 8080').length).toBeGreaterThan(0)
    }
    for (const start of [framed('edit-pool', id), at('edit', id)]) {
      await refused(`${start}/health`)
      await openPage(`${start}/health`, as)
      expect((await field('Path')).value).toBe('/healthz')
      await refused(`${start}/members`)
      await openPage(`${start}/members`, as)
      expect(await screen.findAllByDisplayValue(/^192\.168\.90\.1[12]$/, {}, pageTimeout)).toHaveLength(2)
      await refused(`${start}/allowed-cidrs`)
      await openPage(`${start}/allowed-cidrs`, as)
      expect((await field(/^Allowed source ranges/)).value).toBe('192.0.2.0/24')
    }
    await enter(/^Allowed source ranges/, '198.51.100.0/24\n203.0.113.0/24')
    await press('Save')
    await expectAddress(at(id, 'allowed-cidrs'))
    await openPage(at('edit', id, 'health'), as)
    await fill(/^Interval/, '9')
    await press('Save')
    await expectAddress(at(id, 'overview'))
    await openPage(at('edit', id, 'members'), as)
    const [, second] = await screen.findAllByRole('button', { name: /^Remove / }, pageTimeout)
    fireEvent.click(second!)
    await press('Add address')
    const [, added] = await screen.findAllByLabelText(/^(Address|192)/, { selector: 'input' })
    fireEvent.change(added!, { target: { value: '192.168.90.13' } })
    await press('Save')
    await expectAddress(at(id, 'members'))
    expect(await pool()).toMatchObject({
      allowed_cidrs: ['198.51.100.0/24', '203.0.113.0/24'],
      healthmonitor: { delay: 9, url_path: '/healthz' },
      members: [{ address: '192.168.90.11' }, { address: '192.168.90.13' }],
    })
    await settled(shop.id)
  },
)

it(
  'shows a pool’s properties, members and allowed source ranges, and marks a disabled member [RT-099] [ST-050]',
  long,
  async () => {
    const { id } = await pool()
    await server.call(loadBalancerPools.update, {
      ...{ as, params: { id } },
      body: { members: [{ address: '192.168.90.11' }, { address: '192.168.90.13', enabled: false }] },
    })
    await settled(shop.id)
    await openPage(at(id, 'members'), as)
    const members = within(await screen.findByRole('table', { name: 'Members' }, pageTimeout))
    const off = members.getAllByRole('row').find((it) => it.textContent.includes('192.168.90.13'))!
    await waitFor(() => expect(off.textContent).toContain('Disabled'), pageTimeout)
    for (const [tab, text] of [
      ['allowed-cidrs', '203.0.113.0/24'],
      ['properties', 'Least connections'],
      ['overview', 'HTTP /healthz every 9 s, unhealthy after 3 failures'],
    ] as const) {
      await openPage(at(id, tab), as)
      const drawer = within(await screen.findByRole('dialog', {}, pageTimeout))
      await drawer.findByText(text, {}, pageTimeout)
    }
  },
)

it('shows load balancer and pool charts in an iframe [IF-024] [IF-025]', long, async () => {
  const { id } = await pool()
  for (const place of [framed('details'), framed('pool', id, 'details')]) {
    await openPage(place, as)
    await heading('Traffic')
    // a chart, or a note that metrics are unavailable on this host
    await waitFor(
      () => expect(screen.queryAllByRole('figure').length + screen.queryAllByRole('note').length).toBeGreaterThan(0),
      pageTimeout,
    )
    expect(page!.address()).toBe(place)
  }
})

const words = {
  CREATING: 'Creating',
  DEPLOYMENT_FAILED: 'Creation failed',
  ACTIVE: 'Active',
  DISABLED: 'Disabled',
  CONFIGURING: 'Updating',
  DELETING: 'Deleting',
  ERROR: 'Error',
  DOWN: 'Down',
  BUILD: 'Building',
  PENDING_CREATE: 'Creation pending',
  PENDING_UPDATE: 'Update pending',
  PENDING_DELETE: 'Deletion pending',
} as const

it(
  'deploys either one instance or an active/standby pair as selected, and shows each instance’s role [CO-065] [CO-066]',
  long,
  async () => {
    for (const [name, isPair] of [
      ['twofold', true],
      ['onefold', false],
    ] as const) {
      await openPage(`${list}/add/add-pool`, as)
      for (const button of ['Next: Members', 'Next: Health check', 'Done'])
        fireEvent.click(
          await within(await screen.findByRole('dialog', {}, pageTimeout)).findByRole(
            'button',
            { name: button },
            pageTimeout,
          ),
        )
      await enter('Name', name)
      const choice = await screen.findByRole('checkbox', { name: /^High availability/ }, pageTimeout)
      expect(choice).toHaveProperty('checked', true)
      if (!isPair) fireEvent.click(choice)
      await press('Create load balancer')
      await expectAddress(list)
      const { data } = await server.call(loadBalancers.list, { as, query: { name: `exact:${name}` } })
      const { id } = data[0]!
      const roles = isPair ? ['MASTER', 'BACKUP'] : ['STANDALONE']
      await vi.waitFor(async () => {
        const made = await view(id)
        expect([made.status, made.amphorae.map(({ role }) => role)]).toEqual(['ACTIVE', roles])
      }, pageTimeout)
      await openPage(`${list}/${id}/properties`, as)
      const panel = within(await screen.findByRole('region', { name: 'Deployment' }, pageTimeout))
      const shown = isPair ? ['Master', 'Backup'] : ['Standalone']
      expect(panel.getAllByRole('term').map(({ textContent }) => textContent)).toEqual(shown)
      await openPage(list, as)
      const row = within(await screen.findByRole('row', { name }, pageTimeout))
      expect(row.getByText(isPair ? 'Active/standby' : 'Standalone')).toBeTruthy()
    }
  },
)

it(
  'shows and filters by twelve load balancer statuses, and logs an unknown role [ST-046] [ST-051] [ST-079]',
  long,
  async () => {
    const said = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { id: _, ...row } = { ...shop, pools: [], members_count: 0, members_healthy: 0, members_unhealthy: 0 }
    await server.tools.inventory.from('embedded').transaction(async (records) => {
      for (const status of Object.keys(words) as (keyof typeof words)[])
        await records.put(loadBalancerKind.name, {
          ...row,
          ...{ id: crypto.randomUUID(), name: `status ${status}`, status },
          amphorae: [{ id: 'x', role: 'STANDALONE', active: true, compute_id: null }],
        })
    })
    await openPage(list, as)
    for (const [status, word] of Object.entries(words)) {
      const found = await screen.findByRole('row', { name: `status ${status}` }, pageTimeout)
      expect(found.textContent).toContain(word)
      const { data } = await server.call(loadBalancers.list, { as, query: { status } })
      expect(data.map(({ name }) => name)).toContain(`status ${status}`)
      expect(data.every((it) => it.status === status)).toBe(true)
    }
    expect(LoadBalancer.shape.status.options.toSorted(compareTexts)).toEqual(Object.keys(words).toSorted(compareTexts))
    expect(said).not.toHaveBeenCalled()
    const role = (name: string) => ({ id: 'x', role: name as 'MASTER', active: true, compute_id: null })
    const say = textsNow('loadBalancing')
    expect(availability([role('MASTER'), role('BACKUP')], say)).toBe('Active/standby')
    expect(availability([role('STANDALONE')], say)).toBe('Standalone')
    expect(said).not.toHaveBeenCalled()
    expect(availability([role('JUGGLER')], say)).toBe('Standalone')
    expect(said.mock.calls.flat().join(' ')).toContain('JUGGLER')
    said.mockRestore()
  },
)

const compareTexts = (one: string, other: string) => (one < other ? -1 : 1)

it('shows five pool statuses and five member health states [ST-048] [ST-049]', long, async () => {
  const statuses = {
    CREATING: 'Creating',
    ACTIVE: 'Active',
    CONFIGURING: 'Updating',
    DELETING: 'Deleting',
    ERROR: 'Error',
  } as const
  const healths = {
    HEALTHY: 'Healthy',
    UNHEALTHY: 'Unhealthy',
    DISABLED: 'Disabled',
    UNKNOWN: 'Unknown',
    ERROR: 'Error',
  } as const
  const start = await pool()
  const [member] = start.members
  // the engine reports the health of one member, and the other one as disabled
  await vi.waitFor(
    async () => expect((await pool()).members.map(({ health }) => health)).toEqual(['HEALTHY', 'DISABLED']),
    pageTimeout,
  )
  const members = Object.keys(healths).map((health, at) => ({
    ...member!,
    ...{ id: crypto.randomUUID(), name: `is ${health}`, address: `192.168.90.${50 + at}` },
    health: health as keyof typeof healths,
  }))
  const ids = new Map(Object.keys(statuses).map((status) => [status, crypto.randomUUID()]))
  await server.tools.inventory.from('embedded').transaction(async (records) => {
    for (const [status, id] of ids)
      await records.put(poolKind.name, {
        ...start,
        ...{ id, name: `pool ${status}`, members, members_count: 0, members_unhealthy: 0 },
        status,
      })
  })
  await openPage(at('pools'), as)
  const table = within(await screen.findByRole('table', { name: 'Pools' }, pageTimeout))
  for (const [status, word] of Object.entries(statuses)) {
    const row = (await table.findByRole('link', { name: `pool ${status}` }, pageTimeout)).closest('tr')!
    expect(row.textContent).toContain(word)
    const { data } = await server.call(loadBalancerPools.list, { as, query: { loadbalancer_id: shop.id, status } })
    expect(data.map(({ name }) => name)).toContain(`pool ${status}`)
  }
  await openPage(at(ids.get('ACTIVE')!, 'members'), as)
  const shown = within(await screen.findByRole('table', { name: 'Members' }, pageTimeout))
  for (const [health, word] of Object.entries(healths))
    expect(shown.getByText(`is ${health}`).closest('tr')!.textContent).toContain(word)
  expect(LoadBalancerPool.shape.status.options).toEqual(Object.keys(statuses))
  expect(PoolMember.shape.health.options).toEqual(Object.keys(healths))
})

const ofClients = [
  'Client-Verify',
  'Client-Has-Cert',
  'Client-DN',
  'Client-CN',
  'Issuer',
  'Client-SHA1',
  'Client-Not-Before',
  'Client-Not-After',
]

it(
  'always offers forwarding headers, offers client certificate headers only with TLS termination, and rejects others [CO-068] [CO-069]',
  long,
  async () => {
    const [forwarded, clients] = [
      ['For', 'Port', 'Proto'].map((it) => `X-Forwarded-${it}`),
      ofClients.map((it) => `X-SSL-${it}`),
    ]
    await openPage(at('pools', 'add-pool'), as)
    const headers = async () =>
      within(await screen.findByRole('group', { name: 'Headers sent to members' }, pageTimeout))
        .getAllByRole('checkbox')
        .map((it) => it.closest('label')!.textContent)
    expect(await headers()).toEqual(forwarded)
    await pressAndLoad(await screen.findByRole('button', { name: /Forwarding/ }))
    fireEvent.click(await screen.findByRole('option', { name: /HTTPS to HTTP(?!S)/ }, pageTimeout))
    await waitFor(async () => expect(await headers()).toEqual([...forwarded, ...clients]), pageTimeout)
    const draft = (header: string) => ({
      loadbalancer_id: shop.id,
      protocol: 'HTTP' as const,
      protocol_port: 8088,
      insert_headers: { [header]: true },
    })
    for (const header of [...clients, 'X-Other'])
      await expect(server.call(loadBalancerPools.create, { as, body: draft(header) })).rejects.toMatchObject({
        status: 400,
      })
    const change = { 'X-Forwarded-For': false, 'X-Forwarded-Port': true, 'X-Forwarded-Proto': false }
    const { id } = await pool()
    await server.call(loadBalancerPools.update, { as, params: { id }, body: { insert_headers: change } })
    expect((await pool()).insert_headers).toMatchObject(change)
  },
)
