import { fireEvent, screen, within } from '@testing-library/react'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { lineOf, testMetricsStore } from '../../../../../server/src/testing/metrics-store'
import type { PersonaName } from '../../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { sessionNow } from '../../../session/session'
import { withLayout } from '../../../testing/browser'
import { withCanvas } from '../../../testing/canvas'
import { renderPage } from '../../../testing/render-page'
import { pressAndLoad } from '../../../testing/press-and-load'
import { menuLinks } from '../../../testing/menu'
import { pageTimeout } from '../../../testing/page-timeout'

const long = { timeout: 180_000 }
const tenant = 'project-member'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
withCanvas()
beforeAll(async () => {
  const store = await testMetricsStore()
  server = await startServer({ metricsStore: store, pace: 30 })
  // store samples from a deleted virtual machine, because new samples are not drawn until the next chart point
  const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
  const sample = { name: 'mainstay_vm_mem_usage_bytes', labels: { project_id, domain_id, server_id: 'former' } }
  await store.push([600, 300, 120].map((ago) => lineOf({ ...sample, value: 96 * MiB }, Date.now() - ago * 1000)))
  await store.flush!()
})
afterAll(() => server.close())
const close = () => {
  page?.close()
  page = undefined
}
afterEach(close)

async function open(path: string, as?: PersonaName, at = server) {
  close()
  page = await renderPage(path, { server: at, ...(as && { as }) })
  return page
}
const comesTo = (path: string) => vi.waitFor(() => expect(page!.address()).toBe(path), pageTimeout)
const section = async (name: string) => within(await screen.findByRole('region', { name }, pageTimeout))
const heading = () => screen.findByRole('heading', { level: 1, name: 'Monitoring' }, pageTimeout)
const make = (name: string) =>
  server.call(instances.create, {
    as: tenant,
    body: { name, flavor: 's1.nano', networks: [], volumes: [{ source: 'blank', size: GiB }] },
  })

describe('the overview', () => {
  it('requires sign-in, and helps create the first virtual machine in an empty project [RT-009]', long, async () => {
    await open('/monitoring')
    await vi.waitFor(() => expect(page!.address()).toMatch(/^\/login\?redirectUrl=\/monitoring$/), pageTimeout)
    await open('/monitoring', 'other-member')
    await heading()
    const first = await section('Create your first virtual machine')
    expect(await first.findByRole('link', { name: 'Choose all settings yourself' }, pageTimeout)).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Create virtual machine' }).getAttribute('href')).toBe(
      '/compute/instances/add',
    )
    await (await section('Needs attention')).findByText('Nothing needs attention.', {}, pageTimeout)
    // meters for unused quotas are collapsed
    const quota = await section('Quota')
    const folded = await quota.findByRole('button', { name: /unused quotas$/ }, pageTimeout)
    expect(quota.queryByRole('meter', { name: /vCPUs/ })).toBeNull()
    fireEvent.click(folded)
    expect(await quota.findByRole('meter', { name: /vCPUs/ }, pageTimeout)).toBeTruthy()
    // users without permission get the 403 page
    await open('/monitoring', 'service-account')
    await comesTo('/error403')
  })

  it('is the landing page when compute is configured, except for domain administrators [RT-002]', long, async () => {
    for (const who of [tenant, 'superuser'] as const) {
      await open('/', who)
      await comesTo('/monitoring')
      await heading()
    }
    await open('/', 'domain-admin')
    await comesTo('/users')
  })

  it('opens when a domain administrator switches to a project [ST-011]', long, async () => {
    const cookie = await server.login('domain-admin')
    close()
    page = await renderPage('/users', { server, as: 'domain-admin', cookie })
    await pressAndLoad(await screen.findByRole('button', { name: /^Project:|^Domain/ }, pageTimeout))
    fireEvent.click(await screen.findByRole('button', { name: 'alpha-one' }, pageTimeout))
    await comesTo('/monitoring')
    expect(sessionNow().user).not.toBeNull()
  })

  it('is in the menu next to compute, and both are hidden unless compute is configured [UI-064]', long, async () => {
    const entries = async () => {
      await vi.waitFor(async () => expect(await menuLinks()).toContain('/tasks'), pageTimeout)
      return menuLinks()
    }
    await open('/tasks', tenant)
    expect(await entries()).toEqual(expect.arrayContaining(['/monitoring', '/compute/instances']))
    const bare = await startServer({ environment: { MAINSTAY_AREAS: 'compute=none,storage=none,networking=none' } })
    try {
      await open('/tasks', tenant, bare)
      const shown = await entries()
      expect(shown.filter((to) => to === '/monitoring' || to?.startsWith('/compute'))).toEqual([])
    } finally {
      close()
      await bare.close()
    }
  })

  it('shows virtual machines by state, usage over time, quotas and tasks [UI-033]', long, async () => {
    const { id } = await make('drawn')
    await vi.waitFor(async () => {
      const row = await server.call(instances.view, { as: tenant, params: { id } })
      expect(row.status).toBe('ACTIVE')
    }, pageTimeout)
    await open('/monitoring', tenant)
    const active = await screen.findByRole('link', { name: /Active/ }, pageTimeout)
    await vi.waitFor(() => expect(active.textContent).toBe('1Active'), pageTimeout)
    expect(active.getAttribute('href')).toBe('/compute/instances?status=in:ACTIVE,RESCUE')
    await (await section('Recent tasks')).findByText('Virtual machine “drawn” created', {}, pageTimeout)
    // the chart and its table view
    fireEvent.click(await screen.findByRole('radio', { name: '1 h' }, pageTimeout))
    const chart = within(await screen.findByRole('figure', { name: 'Memory' }, pageTimeout))
    fireEvent.click(await chart.findByRole('button', { name: 'Table' }, pageTimeout))
    const rows = within(chart.getByRole('table')).getAllByRole('row')
    expect(rows.map(({ textContent }) => textContent).join('\n')).toMatch(/\d\sMiB/)
  })

  it('requests metrics with the session token, and rates over five minutes [CA-037] [CA-038]', long, async () => {
    const asked: { url: URL; token: string | null }[] = []
    await open('/monitoring', tenant)
    const { fetch } = globalThis
    const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      const url = new URL(input as string, server.url)
      if (url.pathname.startsWith('/prometheus/'))
        asked.push({ url, token: new Headers(init?.headers).get('x-auth-token') })
      return fetch(input, init)
    })
    fireEvent.click(await screen.findByRole('radio', { name: '7 d' }, pageTimeout))
    await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(6), pageTimeout)
    spy.mockRestore()
    const token = await server.signIn(tenant)
    expect(new Set(asked.map((it) => it.token))).toEqual(new Set([token]))
    const queries = asked.map(({ url }) => url.searchParams.get('query')!)
    const ofCounters = queries.filter((query) => query.includes('_total'))
    expect(ofCounters.length).toBeGreaterThanOrEqual(4)
    for (const query of ofCounters) expect(query).toMatch(/rate\([^[]+_total\[5m\]\)/)
  })

  it('shows operators host capacity and platform status', long, async () => {
    await open('/monitoring', 'superuser')
    await heading()
    expect(await screen.findByRole('meter', { name: /Memory/ }, pageTimeout)).toBeTruthy()
    await (await section('Platform status')).findByText('database', {}, pageTimeout)
    await (await section('Busiest virtual machines')).findByRole('link', { name: 'drawn' }, pageTimeout)
    expect(screen.queryByRole('link', { name: 'Open dashboards' })).toBeNull()
  })

  it(
    'explains that no metrics store is configured, and links operators to the dashboards',
    { ...long, tags: 'all' },
    async () => {
      const without = await startServer({ environment: { MAINSTAY_GRAFANA_URL: 'https://grafana.example' } })
      try {
        await open('/monitoring', 'superuser', without)
        const note = await screen.findByRole('note', {}, pageTimeout)
        expect(note.textContent).toBe('A spec needs no figures')
        const link = await screen.findByRole('link', { name: 'Open dashboards' }, pageTimeout)
        expect(link.getAttribute('href')).toBe('/grafana/login')
      } finally {
        close()
        await without.close()
      }
    },
  )
})

it('shows a virtual machine’s metrics on its monitoring tab [UI-033]', long, async () => {
  const { id } = await make('own')
  await open(`/compute/instances/${id}/monitoring`, tenant)
  const chart = await screen.findByRole('figure', { name: 'Network' }, pageTimeout)
  expect(within(chart).getByText('Out')).toBeTruthy()
})
