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

/** Pages that create an object in a project. */
const makers = ['instances', 'images', 'images/sources', 'volumes', 'server-groups', 'ssh-keys']

it.each(makers)('asks an operator for a project before creating an object in %s', async (name) => {
  const path = name.includes('/') ? name : `${name}/add`
  page = await renderPage(`/compute/${path}`, { server, as: 'superuser' })
  await screen.findByRole('dialog', { name: 'Choose a project' })
  expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull()
})

it(
  'opens the form in the chosen project, or returns to the list when the dialog is closed',
  { tags: 'all' },
  async () => {
    page = await renderPage('/compute/volumes/add', {
      server,
      as: 'superuser',
      cookie: await server.signIn('superuser'),
    })
    setSession({ panel: { panel: 'admin', version: '' } })
    const asking = await screen.findByRole('dialog', { name: 'Choose a project' })
    fireEvent.click(await within(asking).findByRole('button', { name: /^demo/ }))
    await screen.findByRole('dialog', { name: 'Create volume' })
    expect(page.address()).toBe('/compute/volumes/add')
    expect(sessionNow().project?.name).toBe('demo')
    page.close()
    page = await renderPage('/compute/volumes/add', { server, as: 'superuser' })
    fireEvent.keyDown(await screen.findByRole('dialog', { name: 'Choose a project' }), { key: 'Escape' })
    await vi.waitFor(() => expect(page!.address()).toBe('/compute/volumes'))
  },
)
