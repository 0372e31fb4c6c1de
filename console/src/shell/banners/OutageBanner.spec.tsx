import type { Outage } from '@mainstay/contract/core/outage'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { act, screen } from '@testing-library/react'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { setLive } from '../../api/live-state'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

const say = (outage: Outage | null) => act(() => setLive({ outage }))
const banner = () => screen.queryByText(/The data on this page may be out of date/)

it('names the unresponsive service and the start time of the outage, until the service responds again', async () => {
  page = await renderPage('/tasks', { server, as: 'project-member' })
  await screen.findByText('No tasks yet.')
  expect(banner()).toBeNull()
  const since = new Date()
  since.setHours(14, 3, 0, 0)
  say({ since: since.toISOString(), parts: ['compute'] })
  // banners load after the first responses
  await screen.findByText(/The data on this page may be out of date/)
  expect(banner()?.textContent).toMatch(
    /^The compute service has not responded since (14:03|2:03\sPM)\. The data on this page/,
  )
  expect(banner()?.closest('[role]')?.getAttribute('role')).toBe('status')

  say({ since: '2026-01-02T10:00:00Z', parts: ['images', 'volumes'] })
  expect(banner()?.textContent).toMatch(/^Several services have not responded since .*2026/)
  say({ since: '2026-01-02T10:00:00Z', parts: [] })
  expect(banner()?.textContent).toMatch(/^No updates have been received since .*2026/)
  say(null)
  expect(banner()).toBeNull()
})
