import { screen, within } from '@testing-library/react'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { lineOf, testMetricsStore } from '../../../../../server/src/testing/metrics-store'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { queryClient } from '../../../api/query-client'
import { withLayout } from '../../../testing/browser'
import { withCanvas } from '../../../testing/canvas'
import { renderPage } from '../../../testing/render-page'
import { createBucket } from '../client/buckets'
import { pageTimeout } from '../../../testing/page-timeout'

const as = 'project-member@alpha-one'
let server: TestServer
let isMissing = false
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
withCanvas()
beforeAll(async () => {
  const kept = await testMetricsStore()
  server = await startServer({
    metricsStore: {
      get advice() {
        return isMissing ? 'Install it' : null
      },
      ask: (...given) => kept.ask(...given),
      // discard real measurements so that only the test's own samples are stored
      push: async () => undefined,
      close: async () => undefined,
    },
  })
  await server.call(s3Service.create, { as: 'superuser' })
})
afterAll(() => server.close())
beforeEach(() => queryClient.clear())
afterEach(() => {
  page?.close()
  page = undefined
})

async function open(bucket: string) {
  page = await renderPage('/s3-storage/access', { server, as })
  await screen.findByRole('heading', { name: 'Access keys' }, pageTimeout)
  await createBucket(bucket)
  const bucket_id = (await server.tools.ports['object-storage'].bucketId(bucket))!
  const kept = await testMetricsStore()
  const line = (name: string, value: number, ago: number) =>
    lineOf({ name: `mainstay_s3_bucket_${name}`, labels: { bucket_id }, value }, Date.now() - ago * 1000)
  await kept.push([line('bytes', 1024, 7200), line('bytes', 3 * 1024, 3600)])
  await kept.push([line('objects', 12, 7200), line('objects', 345, 3600)])
  await kept.flush!()
  await page.router.navigate({ to: `/s3-storage/buckets/${bucket}/overview` })
}

it('shows a bucket’s size and object count over time', async () => {
  isMissing = false
  await open('charted')
  await screen.findByRole('heading', { name: 'Usage over time' }, pageTimeout)
  const chart = async (name: string) => within(await screen.findByRole('figure', { name }, pageTimeout))
  expect((await chart('Size')).getAllByText(/3(\.0)? KiB/).length).toBeGreaterThan(0)
  expect((await chart('Objects')).getAllByText('345').length).toBeGreaterThan(0)
})

it('shows one note instead of both charts when no metrics are stored', async () => {
  isMissing = true
  await open('not-charted')
  await screen.findByText('Metrics history is not set up. Ask a system administrator.', {}, pageTimeout)
  expect(screen.queryByRole('figure')).toBeNull()
})
