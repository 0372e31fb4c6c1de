import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { screen, within } from '@testing-library/react'
import { images } from '@mainstay/contract/compute/images'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { sessionNow } from '../../../session/session'
import { withLayout } from '../../../testing/browser'
import { menuLinks } from '../../../testing/menu'
import { renderPage } from '../../../testing/render-page'

const as = 'superuser@demo'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer({ world: 'demo' })
})
afterAll(() => server.close())
afterEach(() => page?.close())

it("lists the project's own images and public images [RT-060]", async () => {
  page = await renderPage('/compute/images', { server, as })
  const row = await screen.findByRole('row', { name: 'Debian 13' })
  expect(within(row).getByText('Active')).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'Images' })).toBeTruthy()
  expect(page.address()).toBe('/compute/images')
})

it('shows the image that the URL refers to [RT-062]', async () => {
  const { data } = await server.call(images.list, { as, query: { name: 'exact:Debian 13' } })
  const image = data[0]!
  page = await renderPage(`/compute/images/${image.id}`, { server, as })
  const details = await screen.findByRole('dialog', { name: 'Debian 13' })
  expect(within(details).getByText(image.id)).toBeTruthy()
  expect(within(details).getByText(image.disk_format)).toBeTruthy()
  expect(page.address()).toBe(`/compute/images/${image.id}`)
})

it('has no menu entry, but is linked from the volumes and virtual machines pages [UI-061]', async () => {
  for (const from of ['/compute/volumes', '/compute/instances']) {
    page = await renderPage(from, { server, as })
    await vi.waitFor(() => expect(sessionNow().meta).not.toBeNull())
    const links = await menuLinks()
    expect(links).toContain('/compute/volumes')
    expect(links).not.toContain('/compute/images')
    expect(screen.getByRole('link', { name: 'Images' }).getAttribute('href')).toBe('/compute/images')
    page.close()
  }
})
