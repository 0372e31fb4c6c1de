import { randomUUID } from 'node:crypto'
import { fireEvent, screen, within } from '@testing-library/react'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { alertRules } from '@mainstay/contract/monitoring/alert-rules'
import { alerts, type Alert } from '@mainstay/contract/monitoring/alerts'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { startChangeFlow } from '../../../api/change-flow'
import { loadTexts } from '../../../i18n/use-t'
import { alertTitle as titleOfServer } from '../../../../../server/src/areas/monitoring/alerts/rules'
import { adviceText, alertText, alertTitle } from '../../../notices/alert-words'
import { useNotices } from '../../../notices/notices'
import { withLayout } from '../../../testing/browser'
import { withCanvas } from '../../../testing/canvas'
import { renderPage } from '../../../testing/render-page'
import { menuByGroup } from '../../../testing/menu'
import { pageTimeout } from '../../../testing/page-timeout'

const tenant = 'project-member'
const operator = 'superuser'
const long = { timeout: 90_000 }

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
let flow: ReturnType<typeof startChangeFlow> | undefined
withLayout()
withCanvas()
beforeAll(async () => {
  server = await startServer()
  // alerts are those of the tests
  await server.tools.scheduler.close()
  await loadTexts('alerts')
})
afterAll(() => server.close())
const close = () => {
  flow?.stop()
  flow = undefined
  page?.close()
  page = undefined
}
afterEach(async () => {
  close()
  await server.tools.inventory.transaction(async (records) => {
    for (const { id } of (await server.call(alerts.list, { as: operator, query: { limit: 100 } })).data)
      await records.remove('alert', id)
  })
})
async function open(path: string, as: PersonaName) {
  close()
  page = await renderPage(path, { server, as })
  flow = startChangeFlow(() => true, null)
}

/** Writes an alert as the server does, and tells the open page of it as the socket does. */
async function put(alert: Alert) {
  const entity = alert as Alert & { [field: string]: unknown }
  await server.tools.inventory.transaction((records) => records.put('alert', entity))
  const revision = await server.tools.inventory.revision()
  const { id, project_id, domain_id } = alert
  flow?.take([{ ...{ revision, kind: 'alert', id, op: 'put', project_id, domain_id, at: '' }, entity }])
}

/** Raises an alert as a rule does. */
async function raise(part: Partial<Alert> = {}): Promise<Alert> {
  const now = new Date().toISOString()
  const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
  const alert: Alert = {
    ...{ id: randomUUID(), type: 'vm_error', group: 'compute', severity: 'error', state: 'raised', enabled: true },
    ...{ suspended: false, suspended_until: null, object_kind: 'server', object_id: randomUUID() },
    ...{ object_name: 'web-1', object_part: null, value: null, threshold: null, unit: null, details: null },
    ...{ message: '', advice: '', project_id, domain_id, datetime: now, closed_at: null },
    ...{ created_at: now, updated_at: now },
    ...part,
  }
  await put(alert)
  return alert
}
async function endOf(alert: Alert) {
  const now = new Date().toISOString()
  await put({ ...alert, state: 'closed', closed_at: now, updated_at: now })
}
const view = (id: string) => server.call(alerts.view, { as: operator, params: { id } })
const rowOf = async (text: string) => (await screen.findByText(text, {}, pageTimeout)).closest('tr')!
const objects = () => screen.getAllByRole('row').flatMap((row) => /web-\d/.exec(row.textContent)?.[0] ?? [])
async function menuOf(text: string) {
  fireEvent.click(within(await rowOf(text)).getByRole('button', { name: /^Actions/ }))
  return within(await screen.findByRole('menu', {}, pageTimeout))
}

describe('the list', () => {
  it('says what is the matter with what, how bad it is, since when, and what to do [UI-016]', long, async () => {
    await open('/alerts', tenant)
    await screen.findByText('No alerts.', {}, pageTimeout)
    const { Overview: pages = [] } = await menuByGroup()
    expect(pages.find(({ textContent }) => textContent === 'Alerts')?.getAttribute('href')).toBe('/alerts')
    const { object_id } = await raise({ type: 'vm_high_cpu', severity: 'warning', value: 97, unit: 'percent' })
    const row = within(await rowOf('The CPU of web-1 is busy'))
    for (const text of ['Warning', 'Open', '97%', 'Check what is running in it, or resize it to a larger flavor.'])
      expect(row.getByText(text), text).toBeTruthy()
    expect(row.getByRole('link', { name: 'web-1' }).getAttribute('href')).toBe(`/compute/instances/${object_id}`)
    expect(row.getByText(/ago|now/)).toBeTruthy()
    // a tenant changes none, and sees no rules
    expect(row.queryByRole('button', { name: /^Actions/ })).toBeNull()
    expect(screen.queryByRole('link', { name: 'Alert rules' })).toBeNull()
  })

  it('the menu tells how many alerts are open, and marks their group', long, async () => {
    await raise({ object_name: 'web-1' })
    await raise({ object_name: 'web-2', enabled: false })
    await open('/alerts', tenant)
    // the pages of a group are gone when it is closed again
    const described = (link: HTMLElement) =>
      [...link.querySelectorAll('[id]')].find(({ id }) => id === link.getAttribute('aria-describedby'))?.textContent
    const rail = within(await screen.findByRole('navigation', { name: 'Main menu' }, pageTimeout))
    const said = async () => {
      const { Overview: pages = [] } = await menuByGroup()
      const entry = pages.find((link) => link.getAttribute('href') === '/alerts')!
      return [rail.getByRole('link', { name: 'Overview' }), entry].map(described)
    }
    await vi.waitFor(async () => expect(await said()).toEqual(['1 open alert', '1 open alert']), pageTimeout)
    await raise({ object_name: 'web-3', severity: 'info' })
    await vi.waitFor(async () => expect(await said()).toEqual(['2 open alerts', '2 open alerts']), pageTimeout)
  })

  it('begins with the most severe, and ends with what is closed; a filter keeps what is open', long, async () => {
    await raise({ object_name: 'web-1', severity: 'info' })
    await raise({ object_name: 'web-2', severity: 'critical' })
    const closed = await raise({ object_name: 'web-3', severity: 'critical' })
    await raise({ object_name: 'web-4', severity: 'warning' })
    await raise({ object_name: 'web-5', severity: 'critical', enabled: false })
    await endOf(closed)
    await open('/alerts', tenant)
    await screen.findByText('web-5', {}, pageTimeout)
    expect(objects()).toEqual(['web-2', 'web-4', 'web-1', 'web-5', 'web-3'])
    await open('/alerts?state=in:raised&severity=in:critical', tenant)
    await screen.findByText('web-5', {}, pageTimeout)
    expect(objects()).toEqual(['web-2', 'web-5'])
    await open('/alerts?group=in:node', tenant)
    await screen.findByText('Nothing matches the filters.', {}, pageTimeout)
  })

  it('lets an operator ignore an alert and suspend it for a time, and take both back [UI-016]', long, async () => {
    const { id } = await raise()
    const what = 'web-1 failed'
    await open('/alerts', operator)
    fireEvent.click((await menuOf(what)).getByRole('menuitem', { name: 'Ignore' }))
    await screen.findByText('Ignored', {}, pageTimeout)
    expect(await view(id)).toMatchObject({ enabled: false })
    fireEvent.click((await menuOf(what)).getByRole('menuitem', { name: 'Stop ignoring' }))
    await screen.findByText('Open', {}, pageTimeout)
    const before = Date.now()
    fireEvent.click((await menuOf(what)).getByRole('menuitem', { name: 'Suspend for a day' }))
    await screen.findByText(/^Suspended until /, {}, pageTimeout)
    const { suspended, suspended_until } = await view(id)
    expect(suspended).toBe(true)
    expect(Date.parse(suspended_until!)).toBeGreaterThanOrEqual(before + 24 * 3600_000)
    fireEvent.click((await menuOf(what)).getByRole('menuitem', { name: 'End suspension' }))
    await screen.findByText('Open', {}, pageTimeout)
    expect(await view(id)).toMatchObject({ enabled: true, suspended: false, suspended_until: null })
  })

  it('tells why a change failed', long, async () => {
    await raise()
    await open('/alerts', operator)
    const menu = await menuOf('web-1 failed')
    const { fetch } = globalThis
    const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      if (init?.method === 'PUT') return Promise.resolve(new Response('{}', { status: 500 }))
      return fetch(input, init)
    })
    try {
      fireEvent.click(menu.getByRole('menuitem', { name: 'Ignore' }))
      await screen.findByText('The change could not be saved', {}, pageTimeout)
    } finally {
      spy.mockRestore()
    }
  })
})

describe('the rules', () => {
  const disk = 'The disk of a host is nearly full'
  const rule = () => server.call(alertRules.view, { as: operator, params: { id: 'node_low_space' } })

  it('are turned off and on, suspended and changed by operators [UI-016]', long, async () => {
    await open('/alerts', operator)
    fireEvent.click(await screen.findByRole('link', { name: 'Alert rules' }, pageTimeout))
    const row = await rowOf(disk)
    expect(within(row).getByText('90%')).toBeTruthy()
    expect(within(row).getByText('Error')).toBeTruthy()
    fireEvent.click((await menuOf(disk)).getByRole('menuitem', { name: 'Turn off' }))
    await vi.waitFor(() => expect(within(row).getByText('Off')).toBeTruthy(), pageTimeout)
    expect(await rule()).toMatchObject({ enabled: false })
    fireEvent.click((await menuOf(disk)).getByRole('menuitem', { name: 'Turn on' }))
    await vi.waitFor(() => expect(within(row).queryByText('Off')).toBeNull(), pageTimeout)
    fireEvent.click((await menuOf(disk)).getByRole('menuitem', { name: 'Suspend until further notice' }))
    await vi.waitFor(() => expect(within(row).getByText('Suspended')).toBeTruthy(), pageTimeout)
    expect(await rule()).toMatchObject({ enabled: true, suspended: true, suspended_until: null })
    fireEvent.click((await menuOf(disk)).getByRole('menuitem', { name: 'End suspension' }))
    await vi.waitFor(() => expect(within(row).queryByText('Suspended')).toBeNull(), pageTimeout)

    fireEvent.click((await menuOf(disk)).getByRole('menuitem', { name: 'Edit' }))
    const form = within(await screen.findByRole('dialog', { name: disk }, pageTimeout))
    const threshold = await form.findByRole('textbox', { name: /^Threshold/ }, pageTimeout)
    const type = (text: string) => {
      fireEvent.change(threshold, { target: { value: text } })
      fireEvent.blur(threshold)
    }
    type('')
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    await form.findByText('Enter a number from 1 to 100.', {}, pageTimeout)
    type('75')
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    await vi.waitFor(() => expect(page!.address()).toBe('/alerts/rules'), pageTimeout)
    expect(await rule()).toMatchObject({ threshold: 75, severity: 'error', duration_seconds: 300 })
    await screen.findByText('75%', {}, pageTimeout)
  })

  it('say that they are unknown while there are no figures', long, async () => {
    await server.tools.inventory.transaction(async (records) => {
      const kept = await records.lock<{ id: string; [field: string]: unknown }>('alert_rule', 'vm_high_cpu')
      await records.put('alert_rule', { ...kept!, state: 'unknown' })
    })
    await open('/alerts/rules', operator)
    const row = await rowOf('The CPU of a virtual machine is busy')
    expect(within(row).getByText('Unknown: no data')).toBeTruthy()
  })

  it('and their alerts are told in the words of the server', async () => {
    await loadTexts('alerts')
    const { data } = await server.call(alertRules.list, { as: operator, query: { limit: 100 } })
    expect(data.length).toBeGreaterThan(10)
    for (const { type, message, advice } of data) {
      expect([alertText(type), adviceText(type)]).toEqual([message, advice])
      for (const names of [['web-1'], ['web-1', 'web-2']]) {
        const alerts_ = names.map((object_name) => ({ type, object_name }) as Alert)
        expect(alertTitle(alerts_)).toBe(titleOfServer(type, names))
      }
    }
  })
})

describe('an alert that is open', () => {
  const attention = async () => within(await screen.findByRole('region', { name: 'Needs attention' }, pageTimeout))
  const evaluated = (sql: string) => server.sql.query(`update alert_evaluation set at = ${sql}`)
  const calm = 'Nothing needs attention.'

  it('stands on the overview, the most severe first, and leaves it when it is closed', long, async () => {
    await evaluated('now()')
    await open('/monitoring', tenant)
    const panel = await attention()
    await panel.findByText(calm, {}, pageTimeout)
    expect(panel.getByRole('link', { name: 'All alerts' }).getAttribute('href')).toBe('/alerts?groupBy=type')
    const mild = await raise({ object_name: 'web-1', severity: 'warning', type: 'vm_high_cpu' })
    const bad = await raise({ object_name: 'web-2', severity: 'critical', details: 'The disk is gone' })
    await raise({ object_name: 'web-3', suspended: true })
    await raise({ object_name: 'web-4', enabled: false })
    const names = () => panel.queryAllByRole('listitem').map((line) => /web-\d/.exec(line.textContent)?.[0])
    await vi.waitFor(() => expect(names()).toEqual(['web-2', 'web-1']), pageTimeout)
    expect(panel.getByRole('link', { name: 'web-2 failed' }).getAttribute('href')).toBe(
      `/compute/instances/${bad.object_id}`,
    )
    expect(panel.getByText('The disk is gone')).toBeTruthy()
    await endOf(bad)
    await vi.waitFor(() => expect(names()).toEqual(['web-1']), pageTimeout)
    await endOf(mild)
    await panel.findByText(calm, {}, pageTimeout)
  })

  it('is told together with the others of its rule, with their names', long, async () => {
    for (let at = 1; at <= 7; at++) await raise({ object_name: `web-${at}` })
    await raise({ type: 'volume_error', object_kind: 'volume', object_name: 'data' })
    await open('/monitoring', tenant)
    const panel = await attention()
    await panel.findByText('7 virtual machines failed', {}, pageTimeout)
    expect(panel.getAllByRole('link', { name: /^web-\d$/ })).toHaveLength(5)
    expect(panel.getByRole('link', { name: '2 more' }).getAttribute('href')).toBe(
      '/alerts?state=in:raised&type=in:vm_error',
    )
    expect(panel.getByText('Volume data failed')).toBeTruthy()
    // what to do is said once for each cause
    expect(panel.getAllByText(/^Open the virtual machine/)).toHaveLength(1)
  })

  it('says once what a failed task says as well', long, async () => {
    const body = {
      name: 'fault-start',
      flavor: 's1.nano',
      networks: [],
      volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
    }
    const { id } = await server.call(instances.create, { as: tenant, body: body as never })
    await vi.waitFor(async () =>
      expect(await server.call(instances.view, { as: tenant, params: { id } })).toMatchObject({ status: 'ERROR' }),
    )
    await open('/monitoring', tenant)
    const panel = await attention()
    await panel.findByText('Cannot create virtual machine “fault-start”', { exact: false }, pageTimeout)
    const alert = await raise({ object_id: id, object_name: 'fault-start' })
    await panel.findByText('fault-start failed', {}, pageTimeout)
    expect(panel.queryByText('Cannot create virtual machine “fault-start”', { exact: false })).toBeNull()
    expect(panel.getAllByRole('listitem')).toHaveLength(1)
    await endOf(alert)
    await server.call(instances.delete, { as: tenant, params: { id } })
    await server.sql.query(`delete from resource where kind = 'task' and body -> 'args' -> 0 ->> 'id' = $1`, [id])
  })

  it('cannot be known before the rules are evaluated, and the overview says so', long, async () => {
    await evaluated(`now() - interval '1 hour'`)
    await open('/monitoring', tenant)
    const panel = await attention()
    await panel.findByText('Checking…', {}, pageTimeout)
    expect(panel.queryByText(calm)).toBeNull()
    await evaluated('now()')
    await panel.findByText(calm, {}, pageTimeout)
  })

  it('of the platform stands on the overview of operators, and not on that of a project', long, async () => {
    await evaluated('now()')
    await raise({
      ...{ type: 'part_down', group: 'platform', object_kind: 'part', object_id: 'database', object_name: 'database' },
      ...{ severity: 'critical', project_id: null, domain_id: null },
    })
    await open('/monitoring', operator)
    await (await attention()).findByText('The platform part database does not work', {}, pageTimeout)
    await open('/monitoring', tenant)
    await (await attention()).findByText(calm, {}, pageTimeout)
  })

  it('is told at a volume, for as long as it is open', long, async () => {
    const { id, name } = await server.call(volumes.create, { as: tenant, body: { name: 'data', size: GiB } })
    const alert = await raise({ type: 'task_fails_often', object_kind: 'volume', object_id: id, object_name: name })
    await open(`/compute/volumes/${id}`, tenant)
    const told = within(await screen.findByRole('list', { name: 'Open alerts' }, pageTimeout))
    expect(told.getByText('The same task on data fails again and again')).toBeTruthy()
    await endOf(alert)
    await vi.waitFor(() => expect(screen.queryByRole('list', { name: 'Open alerts' })).toBeNull(), pageTimeout)
  })
})

describe('the bell', () => {
  const told = (alert: Alert) =>
    useNotices
      .getState()
      .notices.flatMap(({ id, type, title, message, actions }) =>
        id === `alert-${alert.type}-${alert.created_at}`
          ? [{ type, title, message, leadsTo: actions[0]?.payload }]
          : [],
      )

  it('tells of an alert when it is raised, and in the same place when it is closed', long, async () => {
    await open('/alerts', tenant)
    await screen.findByText('No alerts.', {}, pageTimeout)
    // what tells comes after the page
    await screen.findByRole('log', { hidden: true }, pageTimeout)
    const alert = await raise({ details: 'it broke' })
    const leadsTo = `/compute/instances/${alert.object_id}`
    const raised = { type: 'error', title: 'web-1 failed', leadsTo }
    await vi.waitFor(() => expect(told(alert)).toMatchObject([raised]), pageTimeout)
    // what people change of it is no news
    await put({ ...alert, severity: 'info', updated_at: new Date(Date.now() + 1000).toISOString() })
    await screen.findByText('Information', {}, pageTimeout)
    expect(told(alert)).toMatchObject([raised])
    await endOf(alert)
    await vi.waitFor(
      () => expect(told(alert)).toMatchObject([{ type: 'success', title: 'The alert on web-1 is closed', leadsTo }]),
      pageTimeout,
    )
  })

  it('tells once of all that a rule raises at once, and that they are over when the last one is', long, async () => {
    await open('/alerts', tenant)
    await screen.findByText('No alerts.', {}, pageTimeout)
    await screen.findByRole('log', { hidden: true }, pageTimeout)
    const at = new Date().toISOString()
    const raised: Alert[] = []
    for (const object_name of ['web-1', 'web-2', 'web-3'])
      raised.push(await raise({ object_name, type: 'vm_stuck', created_at: at, updated_at: at }))
    const [first, second, third] = raised as [Alert, Alert, Alert]
    const is = (...told_: object[]) => vi.waitFor(() => expect(told(first)).toMatchObject(told_), pageTimeout)
    await is({ type: 'error', title: '3 virtual machines are stuck', leadsTo: '/alerts' })
    await endOf(first)
    await endOf(second)
    await is({ type: 'error', title: 'web-3 is stuck', leadsTo: `/compute/instances/${third.object_id}` })
    await endOf(third)
    await is({ type: 'success', title: '3 alerts are closed' })
  })
})

it('a machine tells its open alerts above all else', long, async () => {
  const { id } = await server.call(instances.create, {
    as: tenant,
    body: { name: 'web-9', flavor: 's1.nano', networks: [], volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
  })
  await raise({ object_id: id, object_name: 'web-9', details: 'The disk is gone' })
  await open(`/compute/instances/${id}`, tenant)
  const told = within(await screen.findByRole('list', { name: 'Open alerts' }, pageTimeout))
  expect(told.getByText('web-9 failed')).toBeTruthy()
  expect(told.getByText(/The disk is gone/)).toBeTruthy()
})
