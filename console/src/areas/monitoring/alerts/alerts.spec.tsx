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
import { pressAndLoad } from '../../../testing/press-and-load'

const tenant = 'project-member'
const operator = 'superuser'
const long = { timeout: 180_000 }

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
let flow: ReturnType<typeof startChangeFlow> | undefined
withLayout()
withCanvas()
beforeAll(async () => {
  server = await startServer()
  // stop the rule evaluation so that only the tests raise alerts
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

/** Writes an alert in the way that the server does, and sends the change event to the open page. */
async function put(alert: Alert) {
  const entity = alert as Alert & { [field: string]: unknown }
  await server.tools.inventory.transaction((records) => records.put('alert', entity))
  const revision = await server.tools.inventory.revision()
  const { id, project_id, domain_id } = alert
  flow?.take([{ ...{ revision, kind: 'alert', id, op: 'put', project_id, domain_id, at: '' }, entity }])
}

/** Raises an alert in the way that a rule does. */
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
// the notification for a new alert has the same text, and may be shown before the row is
const rowOf = async (text: string) => (await screen.findByText(text, { selector: 'tr *' }, pageTimeout)).closest('tr')!
const objects = () => screen.getAllByRole('row').flatMap((row) => /web-\d/.exec(row.textContent)?.[0] ?? [])
async function menuOf(text: string) {
  await pressAndLoad(within(await rowOf(text)).getByRole('button', { name: /^Actions/ }))
  return within(await screen.findByRole('menu', {}, pageTimeout))
}

describe('the alert list', () => {
  it('shows an alert’s object, severity, state, age and advice [UI-016]', long, async () => {
    await open('/alerts', tenant)
    await screen.findByText('No alerts.', {}, pageTimeout)
    const { Overview: pages = [] } = await menuByGroup()
    expect(pages.find(({ textContent }) => textContent === 'Alerts')?.getAttribute('href')).toBe('/alerts')
    const { object_id } = await raise({ type: 'vm_high_cpu', severity: 'warning', value: 97, unit: 'percent' })
    const row = within(await rowOf('CPU usage on virtual machine web-1 is high'))
    const advice = 'Check what is running in the virtual machine, or resize it to a larger flavor.'
    for (const text of ['Warning', 'Open', '97%', advice]) expect(row.getByText(text), text).toBeTruthy()
    expect(row.getByRole('link', { name: 'web-1' }).getAttribute('href')).toBe(`/compute/instances/${object_id}`)
    expect(row.getByText(/ago|now/)).toBeTruthy()
    // tenants can neither change alerts nor see rules
    expect(row.queryByRole('button', { name: /^Actions/ })).toBeNull()
    expect(screen.queryByRole('link', { name: 'Alert rules' })).toBeNull()
  })

  it('shows the number of open alerts on the menu entry and its menu group', { ...long, tags: 'all' }, async () => {
    await raise({ object_name: 'web-1' })
    await raise({ object_name: 'web-2', enabled: false })
    await open('/alerts', tenant)
    // a group's links are rendered only while the group is expanded
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

  it('sorts by severity with closed alerts last, and filters by state, severity and group', long, async () => {
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
    await screen.findByText('No items match the filters.', {}, pageTimeout)
  })

  it('lets an operator ignore and suspend an alert, and undo both [UI-016]', long, async () => {
    const { id } = await raise()
    const what = 'Virtual machine web-1 is in the error state'
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
    fireEvent.click((await menuOf(what)).getByRole('menuitem', { name: 'Resume' }))
    await screen.findByText('Open', {}, pageTimeout)
    expect(await view(id)).toMatchObject({ enabled: true, suspended: false, suspended_until: null })
  })

  it('shows an error when a change cannot be saved', long, async () => {
    await raise()
    await open('/alerts', operator)
    const menu = await menuOf('Virtual machine web-1 is in the error state')
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

describe('the alert rules', () => {
  const disk = 'The disk on a host is almost full'
  const rule = () => server.call(alertRules.view, { as: operator, params: { id: 'node_low_space' } })

  it('can be disabled, enabled, suspended and edited by operators [UI-016]', long, async () => {
    await open('/alerts', operator)
    fireEvent.click(await screen.findByRole('link', { name: 'Alert rules' }, pageTimeout))
    const row = await rowOf(disk)
    expect(within(row).getByText('90%')).toBeTruthy()
    expect(within(row).getByText('Error')).toBeTruthy()
    fireEvent.click((await menuOf(disk)).getByRole('menuitem', { name: 'Disable' }))
    await vi.waitFor(() => expect(within(row).getByText('Disabled')).toBeTruthy(), pageTimeout)
    expect(await rule()).toMatchObject({ enabled: false })
    fireEvent.click((await menuOf(disk)).getByRole('menuitem', { name: 'Enable' }))
    await vi.waitFor(() => expect(within(row).queryByText('Disabled')).toBeNull(), pageTimeout)
    fireEvent.click((await menuOf(disk)).getByRole('menuitem', { name: 'Suspend until further notice' }))
    await vi.waitFor(() => expect(within(row).getByText('Suspended')).toBeTruthy(), pageTimeout)
    expect(await rule()).toMatchObject({ enabled: true, suspended: true, suspended_until: null })
    fireEvent.click((await menuOf(disk)).getByRole('menuitem', { name: 'Resume' }))
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

  it('are shown as unknown while there is no data', long, async () => {
    await server.tools.inventory.transaction(async (records) => {
      const kept = await records.lock<{ id: string; [field: string]: unknown }>('alert_rule', 'vm_high_cpu')
      await records.put('alert_rule', { ...kept!, state: 'unknown' })
    })
    await open('/alerts/rules', operator)
    const row = await rowOf('CPU usage on a virtual machine is high')
    expect(within(row).getByText('Unknown: no data')).toBeTruthy()
  })

  it('have the same messages and advice as on the server, and alerts have the same titles', async () => {
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

describe('an open alert', () => {
  const attention = async () => within(await screen.findByRole('region', { name: 'Needs attention' }, pageTimeout))
  const evaluated = (sql: string) => server.sql.query(`update alert_evaluation set at = ${sql}`)
  const calm = 'Nothing needs attention.'

  it('is listed on the overview, sorted by severity, until it is closed', { ...long, tags: 'all' }, async () => {
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
    const link = panel.getByRole('link', { name: 'Virtual machine web-2 is in the error state' })
    expect(link.getAttribute('href')).toBe(`/compute/instances/${bad.object_id}`)
    expect(panel.getByText('The disk is gone')).toBeTruthy()
    await endOf(bad)
    await vi.waitFor(() => expect(names()).toEqual(['web-1']), pageTimeout)
    await endOf(mild)
    await panel.findByText(calm, {}, pageTimeout)
  })

  it('is grouped with other alerts from the same rule, listing the object names', long, async () => {
    for (let at = 1; at <= 7; at++) await raise({ object_name: `web-${at}` })
    await raise({ type: 'volume_error', object_kind: 'volume', object_name: 'data' })
    await open('/monitoring', tenant)
    const panel = await attention()
    await panel.findByText('7 virtual machines are in the error state', {}, pageTimeout)
    expect(panel.getAllByRole('link', { name: /^web-\d$/ })).toHaveLength(5)
    expect(panel.getByRole('link', { name: '2 more' }).getAttribute('href')).toBe(
      '/alerts?state=in:raised&type=in:vm_error',
    )
    expect(panel.getByText('Volume data is in the error state')).toBeTruthy()
    // the advice is shown once per group
    expect(panel.getAllByText(/^Open the virtual machine/)).toHaveLength(1)
  })

  it('hides a failed task on the same object', long, async () => {
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
    await panel.findByText('Virtual machine fault-start is in the error state', {}, pageTimeout)
    expect(panel.queryByText('Cannot create virtual machine “fault-start”', { exact: false })).toBeNull()
    expect(panel.getAllByRole('listitem')).toHaveLength(1)
    await endOf(alert)
    await server.call(instances.delete, { as: tenant, params: { id } })
    await server.sql.query(`delete from resource where kind = 'task' and body -> 'args' -> 0 ->> 'id' = $1`, [id])
  })

  it(
    'cannot be ruled out, so the overview shows “Checking…”, until the rules have been evaluated',
    { ...long, tags: 'all' },
    async () => {
      await evaluated(`now() - interval '1 hour'`)
      await open('/monitoring', tenant)
      const panel = await attention()
      await panel.findByText('Checking…', {}, pageTimeout)
      expect(panel.queryByText(calm)).toBeNull()
      await evaluated('now()')
      await panel.findByText(calm, {}, pageTimeout)
    },
  )

  it('is shown only to operators if it concerns the platform', long, async () => {
    await evaluated('now()')
    await raise({
      ...{ type: 'part_down', group: 'platform', object_kind: 'part', object_id: 'database', object_name: 'database' },
      ...{ severity: 'critical', project_id: null, domain_id: null },
    })
    await open('/monitoring', operator)
    await (await attention()).findByText('Platform component database is not working', {}, pageTimeout)
    await open('/monitoring', tenant)
    await (await attention()).findByText(calm, {}, pageTimeout)
  })

  it('is shown on the affected volume’s page while it is open', long, async () => {
    const { id, name } = await server.call(volumes.create, { as: tenant, body: { name: 'data', size: GiB } })
    const alert = await raise({ type: 'task_fails_often', object_kind: 'volume', object_id: id, object_name: name })
    await open(`/compute/volumes/${id}`, tenant)
    const told = within(await screen.findByRole('list', { name: 'Open alerts' }, pageTimeout))
    expect(told.getByText('A task on data fails repeatedly')).toBeTruthy()
    await endOf(alert)
    await vi.waitFor(() => expect(screen.queryByRole('list', { name: 'Open alerts' })).toBeNull(), pageTimeout)
  })
})

describe('alert notifications', () => {
  const told = (alert: Alert) =>
    useNotices
      .getState()
      .notices.flatMap(({ id, type, title, message, actions }) =>
        id === `alert-${alert.type}-${alert.created_at}`
          ? [{ type, title, message, leadsTo: actions[0]?.payload }]
          : [],
      )

  it('appear when an alert is raised and are replaced when it is closed', long, async () => {
    await open('/alerts', tenant)
    await screen.findByText('No alerts.', {}, pageTimeout)
    // wait until the notification area is mounted
    await screen.findByRole('log', { hidden: true }, pageTimeout)
    const alert = await raise({ details: 'it broke' })
    const leadsTo = `/compute/instances/${alert.object_id}`
    const raised = { type: 'error', title: 'Virtual machine web-1 is in the error state', leadsTo }
    await vi.waitFor(() => expect(told(alert)).toMatchObject([raised]), pageTimeout)
    // changing the severity of an alert does not notify again
    await put({ ...alert, severity: 'info', updated_at: new Date(Date.now() + 1000).toISOString() })
    await screen.findByText('Information', {}, pageTimeout)
    expect(told(alert)).toMatchObject([raised])
    await endOf(alert)
    await vi.waitFor(
      () => expect(told(alert)).toMatchObject([{ type: 'success', title: 'The alert on web-1 is closed', leadsTo }]),
      pageTimeout,
    )
  })

  it('combine alerts that a rule raises together, and report them closed once all of them are', long, async () => {
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
    const leadsTo = `/compute/instances/${third.object_id}`
    await is({ type: 'error', title: 'Virtual machine web-3 is stuck', leadsTo })
    await endOf(third)
    await is({ type: 'success', title: '3 alerts are closed' })
  })
})

it('shows a virtual machine’s open alerts on its page', { ...long, tags: 'all' }, async () => {
  const { id } = await server.call(instances.create, {
    as: tenant,
    body: { name: 'web-9', flavor: 's1.nano', networks: [], volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
  })
  await raise({ object_id: id, object_name: 'web-9', details: 'The disk is gone' })
  await open(`/compute/instances/${id}`, tenant)
  const told = within(await screen.findByRole('list', { name: 'Open alerts' }, pageTimeout))
  expect(told.getByText('Virtual machine web-9 is in the error state')).toBeTruthy()
  expect(told.getByText(/The disk is gone/)).toBeTruthy()
})
