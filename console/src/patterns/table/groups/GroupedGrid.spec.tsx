import { act, fireEvent, screen, within } from '@testing-library/react'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { DEFAULT_LIMIT } from '@mainstay/contract/core/lists/paging'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'
import { pageTimeout } from '../../../testing/page-timeout'
import { pressAndLoad } from '../../../testing/press-and-load'

const as = 'project-member'
const free = DEFAULT_LIMIT + 3

let server: TestServer
/** Name of the volume in use. */
let used: string
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
  const row = await make('volume-000')
  await server.tools.inventory.from('embedded').transaction(async (records) => {
    for (let at = 1; at < free; at += 1)
      await records.put('volume', { ...row, id: `copy-${at}`, name: `volume-${String(at).padStart(3, '0')}` })
  })
  const body = {
    name: 'machine',
    flavor: 's1.nano',
    networks: [],
    volumes: [{ source: 'blank' as const, size: GiB, boot_index: 0 }],
  }
  await server.call(instances.create, { as, body })
  await vi.waitFor(async () => {
    const { data } = await server.call(volumes.list, { as, query: { status: 'exact:in-use' } })
    expect(data).toHaveLength(1)
    used = data[0]!.name
  }, pageTimeout)
})
afterAll(() => server.close())
afterEach(() => page?.close())

/** Creates a volume and waits until it is available. */
async function make(name: string) {
  const { id } = await server.call(volumes.create, { as, body: { name, size: GiB } })
  return vi.waitFor(async () => {
    const volume = await server.call(volumes.view, { as, params: { id } })
    expect(volume.status).toBe('available')
    return volume
  }, pageTimeout)
}
const open = async (query: string) => {
  page = await renderPage(`/compute/volumes${query}`, { server, as })
  return page
}
const heading = (name: RegExp) => screen.findByRole('button', { name }, pageTimeout)
/** Labels of the lines in the table, in order. */
const lines = () =>
  [...document.querySelectorAll<HTMLElement>('[data-row]')].map(
    (line) => line.getAttribute('aria-label') ?? line.textContent,
  )
const volumeNames = () => lines().filter((line) => line?.startsWith('volume-'))

it('groups rows under collapsible headings with counts and keeps the grouping in the URL', async () => {
  const { address } = await open('?sort=name:desc')
  await pressAndLoad(await screen.findByRole('button', { name: 'Group rows' }, pageTimeout))
  fireEvent.click(await screen.findByRole('menuitemradio', { name: 'Status' }, pageTimeout))
  const available = await heading(new RegExp(`Available.*${free} items`))
  await heading(/In use.*1 item$/)
  expect(address()).toBe('/compute/volumes?sort=name:desc&groupBy=status')
  await vi.waitFor(() => expect(volumeNames()[0]).toBe(`volume-0${free - 1}`), pageTimeout)
  await screen.findByRole('row', { name: used }, pageTimeout)
  expect(available.getAttribute('aria-expanded')).toBe('true')
  fireEvent.click(available)
  await vi.waitFor(() => expect(volumeNames()).toEqual([]))
  expect(screen.getByRole('row', { name: used })).toBeTruthy()
  expect(lines()).toHaveLength(3)
})

it(
  'loads more rows in a group on demand, and supports keyboard navigation across headings and rows',
  { tags: 'all' },
  async () => {
    await open('?groupBy=status')
    await heading(/In use/)
    const more = async () => screen.findByRole('button', { name: 'Show more (3 items left)' }, pageTimeout)
    await vi.waitFor(() => expect(volumeNames().length).toBeGreaterThan(0), pageTimeout)
    const first = document.querySelector<HTMLElement>('[data-row^="group"]')!
    act(() => first.focus())
    fireEvent.keyDown(document.activeElement!, { key: 'ArrowDown' })
    await vi.waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('volume-000'))
    fireEvent.keyDown(document.activeElement!, { key: 'ArrowUp' })
    await vi.waitFor(() => expect(document.activeElement).toBe(first))
    fireEvent.click(await more())
    await vi.waitFor(() => expect(screen.queryByRole('button', { name: /items? left/ })).toBeNull(), pageTimeout)
    // the focus stays on the row before the new ones
    expect(document.activeElement?.getAttribute('aria-label')).toBe(`volume-0${DEFAULT_LIMIT - 1}`)
  },
)

it('applies the list’s filters to groups and selects rows across groups', async () => {
  await open('?groupBy=status&name=volume-00')
  await heading(/Available.*10 items/)
  expect(screen.queryByRole('button', { name: /In use/ })).toBeNull()
  const row = within(await screen.findByRole('row', { name: 'volume-003' }, pageTimeout))
  fireEvent.click(row.getByRole('checkbox'))
  await screen.findByText('1 selected')
})

it('updates groups and counts when the list is reloaded', { tags: 'all' }, async () => {
  await open('?groupBy=status')
  await heading(new RegExp(`Available.*${free} items`))
  await make('volume-999')
  fireEvent.click(screen.getByRole('button', { name: 'Reload' }))
  await heading(new RegExp(`Available.*${free + 1} items`))
})

it('shows plain rows and a note if the field has too many values', async () => {
  const real = globalThis.fetch
  const values = Array.from({ length: 100 }, (_, at) => ({ value: `policy-${at}`, count: 1 }))
  vi.stubGlobal('fetch', (...[input, init]: Parameters<typeof fetch>) =>
    `${input as string}`.includes('/facets/')
      ? Promise.resolve(Response.json({ data: values, has_more: true }))
      : real(input, init),
  )
  try {
    const { address } = await open('?groupBy=storage_policy')
    await screen.findByText(/This field has more than 100 values/, {}, pageTimeout)
    await screen.findByRole('row', { name: 'volume-001' }, pageTimeout)
    fireEvent.click(screen.getByRole('button', { name: 'No grouping' }))
    await vi.waitFor(() => expect(address()).toBe('/compute/volumes'))
  } finally {
    vi.unstubAllGlobals()
  }
})
