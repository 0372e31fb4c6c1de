import { screen, within } from '@testing-library/react'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { instanceFigures } from '@mainstay/contract/monitoring/instance-metrics'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { lineOf, testMetricsStore } from '../../../../../../server/src/testing/metrics-store'
import { startServer, type TestServer } from '../../../../../../server/src/testing/start-server'
import { queryClient } from '../../../../api/query-client'
import { withLayout } from '../../../../testing/browser'
import { renderPage } from '../../../../testing/render-page'
import { pageTimeout } from '../../../../testing/page-timeout'

const as = 'project-member'
const names = ['web-1', 'web-2', 'web-3']

let server: TestServer
let isAway = false
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  const kept = await testMetricsStore()
  server = await startServer({
    metricsStore: {
      advice: null,
      ask: (...given) => (isAway ? Promise.reject(new Error('away')) : kept.ask(...given)),
      // drop the server's own samples: the test stores its own
      push: async () => undefined,
      close: async () => undefined,
    },
  })
  const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
  for (const [at, name] of names.entries()) {
    const volumes = [{ source: 'blank' as const, size: GiB, boot_index: 0 }]
    const { id } = await server.call(instances.create, { as, body: { name, flavor: 's1.nano', networks: [], volumes } })
    const sample = { name: 'mainstay_vm_cpu_usage_ratio', labels: { project_id, domain_id, server_id: id } }
    // store values from hours ago, since the current usage is part of the instance itself
    await kept.push([
      lineOf({ ...sample, value: 0.1 }, Date.now() - 2 * 3600_000),
      lineOf({ ...sample, value: 0.2 + at / 10 }, Date.now() - 3600_000),
    ])
  }
  await kept.flush!()
  await vi.waitFor(async () => {
    const { data } = await server.call(instances.list, { as })
    expect(data.map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE'])
  }, pageTimeout)
})
afterAll(() => server.close())
afterEach(() => page?.close())

const row = async (name: string) => within(await screen.findByRole('row', { name }, pageTimeout))

it('shows the recent usage of each row, and fetches it for all rows in one call', async () => {
  page = await renderPage('/compute/instances', { server, as })
  const called = vi.spyOn(globalThis, 'fetch')
  const lines = ['Between 10% and 20%', 'Between 10% and 30%', 'Between 10% and 40%']
  for (const [at, name] of names.entries())
    await (await row(name)).findByRole('img', { name: `${lines[at]} in the last 12 hours` }, pageTimeout)
  const { path } = instanceFigures.several
  const asked = called.mock.calls.filter(([address]) => typeof address === 'string' && address.startsWith(path))
  expect(asked).toHaveLength(1)
  called.mockRestore()
})

it('shows dashes for the usage if the metrics store is unavailable', async () => {
  isAway = true
  page = await renderPage('/compute/instances', { server, as })
  const web = await row('web-1')
  await vi.waitFor(() => {
    const asked = queryClient.getQueryCache().findAll({ queryKey: ['view', '', instanceFigures.several.path] })
    expect(asked.map(({ state }) => state.status)).toEqual(['error', 'error', 'error'])
  }, pageTimeout)
  expect(web.queryByRole('img', { name: /last 12 hours/ })).toBeNull()
  expect(web.getByText('Active')).toBeTruthy()
  expect(web.getAllByText(/^(–|\d+%)$/).length).toBeGreaterThanOrEqual(1)
})
