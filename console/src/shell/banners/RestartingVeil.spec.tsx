import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { act, screen } from '@testing-library/react'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { useNotices } from '../../notices/notices'
import { reloadAfterRestart } from '../../session/restarting'
import { setSession } from '../../session/session'
import { withLayout } from '../../testing/browser'
import { pageTimeout } from '../../testing/page-timeout'
import { renderPage } from '../../testing/render-page'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => {
  vi.useRealTimers()
  act(() => setSession({ isRestarting: false }))
  page?.close()
})

it('covers the page immediately when the server is about to stop, without loading anything [EV-003]', async () => {
  page = await renderPage('/tasks', { server, as: 'project-member' })
  await screen.findByText('No tasks yet.')
  await screen.findByRole('region', { name: 'Notifications' }, pageTimeout)
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  act(() => reloadAfterRestart())
  // no await here: nothing can be loaded from a stopped server
  const veil = screen.getAllByRole('status').find((it) => it.getAttribute('aria-busy') === 'true')
  expect(veil?.textContent).toMatch(/Reconnecting since \d+:\d\d.*resumes automatically when the server responds/)
  const told = expect.objectContaining({ type: 'info', title: 'The server is restarting' })
  expect(useNotices.getState().notices).toContainEqual(told)
  // the page stays rendered behind it
  expect(screen.getByText('No tasks yet.')).toBeTruthy()
})
