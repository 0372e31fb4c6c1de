import { fireEvent, screen, within } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { sessionNow, setSession } from '../session/session'
import { withLayout } from '../testing/browser'
import { renderPage } from '../testing/render-page'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer({ world: 'demo' })
})
afterAll(() => server.close())
afterEach(() => page?.close())

/** Pages on which something of a project is made. */
const makers = ['instances', 'images', 'images/sources', 'volumes', 'server-groups', 'ssh-keys']

it.each(makers)('whoever is in no project is asked for one before anything is made in %s', async (name) => {
  const path = name.includes('/') ? name : `${name}/add`
  page = await renderPage(`/compute/${path}`, { server, as: 'superuser' })
  await screen.findByRole('dialog', { name: 'In which project?' })
  expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull()
})

it('the form opens in the project that is chosen, and whoever closes the question is at the list', async () => {
  page = await renderPage('/compute/volumes/add', { server, as: 'superuser', cookie: await server.signIn('superuser') })
  setSession({ panel: { panel: 'admin', version: '' } })
  const asking = await screen.findByRole('dialog', { name: 'In which project?' })
  fireEvent.click(await within(asking).findByRole('button', { name: /^demo/ }))
  await screen.findByRole('dialog', { name: 'Create volume' })
  expect(page.address()).toBe('/compute/volumes/add')
  expect(sessionNow().project?.name).toBe('demo')
  page.close()
  page = await renderPage('/compute/volumes/add', { server, as: 'superuser' })
  fireEvent.keyDown(await screen.findByRole('dialog', { name: 'In which project?' }), { key: 'Escape' })
  await vi.waitFor(() => expect(page!.address()).toBe('/compute/volumes'))
})
