import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { act, screen } from '@testing-library/react'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { useNotices } from '../../notices/notices'
import { reloadAfterRestart } from '../../session/restarting'
import { setSession } from '../../session/session'
import { withLayout } from '../../testing/browser'
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

it('a server that is about to stop covers the page at once, and loads nothing for it [EV-003]', async () => {
  page = await renderPage('/tasks', { server, as: 'project-member' })
  await screen.findByText('No tasks yet.')
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  act(() => reloadAfterRestart())
  // nothing is awaited: a module or a catalogue that is still to be fetched would never come
  const veil = screen.getAllByRole('status').find((it) => it.getAttribute('aria-busy') === 'true')
  expect(veil?.textContent).toMatch(/Reconnecting, since \d+:\d\d.*continues automatically when the server answers/)
  const told = expect.objectContaining({ type: 'info', title: 'The server is restarting' })
  expect(useNotices.getState().notices).toContainEqual(told)
  // the page stays behind it
  expect(screen.getByText('No tasks yet.')).toBeTruthy()
})
