import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { act, screen } from '@testing-library/react'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { useNotices } from '../../notices/notices'
import { whenAboutToStop } from '../../session/restarting'
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

it('a server that is about to stop is told of, and covers the page until it is back [EV-003]', async () => {
  page = await renderPage('/tasks', { server, as: 'project-member' })
  await screen.findByText('No tasks yet.')
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  act(() => whenAboutToStop())
  const veil = await vi.waitFor(() => {
    const found = screen.getAllByRole('status').find((it) => it.getAttribute('aria-busy') === 'true')
    expect(found).toBeDefined()
    return found!
  })
  expect(veil.textContent).toContain('The page goes on by itself when it answers again.')
  // its words come from a catalogue that is fetched for it
  const told = expect.objectContaining({ type: 'info', title: 'The server is restarting' })
  await vi.waitFor(() => expect(useNotices.getState().notices).toContainEqual(told))
})
