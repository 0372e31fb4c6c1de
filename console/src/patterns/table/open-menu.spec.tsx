import { act, screen } from '@testing-library/react'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { queryClient } from '../../api/query-client'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pressAndLoad } from '../../testing/press-and-load'

const as = 'project-member'
let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
  // preloads the menu, because loading it takes a while on a busy machine
  await import('../ActionMenu')
}, 180_000)
afterAll(() => server.close())
afterEach(() => page?.close())

const make = (name: string) => server.call(volumes.create, { as, body: { name, size: GiB } })
const rename = (id: string, name: string) => server.call(volumes.update, { as, params: { id }, body: { name } })
const askedAnew = () => act(() => queryClient.invalidateQueries())

it('keeps a row’s menu open while the list reloads and rows change', { tags: 'all' }, async () => {
  const other = await make('b-disk')
  const { id } = await make('c-disk')
  await expect.poll(async () => (await server.call(volumes.view, { as, params: { id } })).status).toBe('available')
  await expect
    .poll(async () => (await server.call(volumes.view, { as, params: { id: other.id } })).status)
    .toBe('available')
  page = await renderPage('/compute/volumes', { server, as })
  await screen.findByRole('row', { name: 'c-disk' })
  await pressAndLoad(await screen.findByRole('button', { name: 'Actions for c-disk' }))
  const item = await screen.findByRole('menuitem', { name: 'Edit' })
  act(() => item.focus())
  const isOpen = () => expect([item.isConnected, document.activeElement]).toEqual([true, item])

  await askedAnew()
  isOpen()
  await rename(other.id, 'd-disk')
  await askedAnew()
  await screen.findByRole('row', { name: 'd-disk', hidden: true })
  isOpen()
  await make('a-disk')
  await askedAnew()
  await screen.findByRole('row', { name: 'a-disk', hidden: true })
  isOpen()
  await rename(id, 'z-disk')
  await askedAnew()
  await screen.findByRole('row', { name: 'z-disk', hidden: true })
  isOpen()
  await server.call(volumes.delete, { as, params: { id: other.id } })
  await expect.poll(async () => (await server.fetch(volumes.view, { as, params: { id: other.id } })).status).toBe(404)
  await askedAnew()
  await expect.poll(() => screen.queryByRole('row', { name: 'd-disk', hidden: true })).toBeNull()
  isOpen()
  // a deleted row's menu closes
  await server.call(volumes.delete, { as, params: { id } })
  await expect.poll(async () => (await server.fetch(volumes.view, { as, params: { id } })).status).toBe(404)
  await askedAnew()
  await expect.poll(() => item.isConnected).toBe(false)
})
