import { act, fireEvent, screen, within } from '@testing-library/react'
import { GiB } from '@mainstay/contract/core/bytes'
import type { Feature } from '@mainstay/contract/settings/features'
import { instances } from '@mainstay/contract/compute/instances'
import { volumes } from '@mainstay/contract/storage/volumes'
import { beforeAll, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../../server/src/testing/personas'
import texts from '../../locales/en/palette.json'
import { adminRoutes as routes } from '../admin-routes'
import { listOf } from '../nav/known-pages'
import { sessionNow, setSession } from '../session/session'
import { expectAddress, openPage, page, server, withPages } from '../testing/pages'
import { pageTimeout } from '../testing/page-timeout'

const long = { timeout: 180_000 }
withPages()
// loading the palette can take a long time on a busy machine
beforeAll(() => import('./Palette'), 180_000)

const ctrlK = (more: Partial<KeyboardEventInit> = { ctrlKey: true }) =>
  fireEvent.keyDown(document.body, { key: 'k', ...more })

async function openFirst(as: PersonaName = 'project-member', path = '/compute/volumes') {
  await openPage(path, as)
  await vi.waitFor(() => expect(sessionNow().meta).not.toBeNull(), pageTimeout)
  await screen.findByRole('button', { name: 'Search' }, pageTimeout)
  const projects = ['alpha-one', 'alpha-two'].map((name) => ({
    id: server.cast.projects[name]!.id,
    name,
    enabled: true,
  }))
  setSession({ projects: projects as never })
}

async function openSearch(...where: Parameters<typeof openFirst>) {
  await openFirst(...where)
  ctrlK()
  return within(await screen.findByRole('dialog', { name: 'Search' }, pageTimeout))
}
type Found = Awaited<ReturnType<typeof openSearch>>
const type = (search: Found, text: string) =>
  fireEvent.change(search.getByRole('combobox'), { target: { value: text } })
const line = (search: Found, name: RegExp) => search.findByRole('option', { name }, pageTimeout)
const lines = (search: Found) => search.queryAllByRole('option').map(({ textContent }) => textContent)

it.each([
  ['Ctrl+K', { ctrlKey: true }],
  ['Cmd+K', { metaKey: true }],
])(
  '%s opens the dialog with the features from anywhere, and Esc closes it [UI-057] [EN-007]',
  long,
  async (_, keys) => {
    await openFirst()
    ctrlK({})
    ctrlK({ ...keys, altKey: true })
    expect(screen.queryByRole('dialog')).toBeNull()
    ctrlK(keys)
    const search = within(await screen.findByRole('dialog', { name: 'Search' }, pageTimeout))
    fireEvent.click(search.getByRole('tab', { name: 'Features' }))
    const told = (await (await fetch(`${server.url}/features.json`)).json()) as Feature[]
    const toggles = await search.findAllByRole<HTMLInputElement>('switch', {}, pageTimeout)
    // each switch has the title, description and state of its feature
    expect(toggles.map(({ checked }) => checked)).toEqual(told.map(({ enabled }) => enabled))
    for (const { id } of told) {
      const toggle = search.getByRole('switch', { name: texts[`feature.${id}` as keyof typeof texts] })
      expect(toggle.getAttribute('aria-describedby')).not.toBeNull()
      expect(search.getByText(texts[`feature.${id}.text` as keyof typeof texts])).toBeTruthy()
    }
    fireEvent.keyDown(toggles[0]!, { key: 'Escape' })
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull(), pageTimeout)
  },
)

it('finds objects by name, opens one and lists it as recent next time', long, async () => {
  const as = 'project-member'
  for (const name of ['alpha-2', 'alpha-10', 'beta'])
    await server.call(volumes.create, { as, body: { name, size: GiB } })
  const search = await openSearch()
  type(search, 'alpha')
  await line(search, /alpha-10/)
  expect(search.getByRole('group', { name: 'Volumes' }).textContent).toMatch(/alpha-2.*alpha-10/)
  expect(lines(search)).not.toContain('beta')
  fireEvent.click(await line(search, /alpha-2/))
  await vi.waitFor(() => expect(page!.address()).toMatch(/^\/compute\/volumes\/[\w-]+$/), pageTimeout)
  expect(screen.queryByRole('dialog', { name: 'Search' })).toBeNull()
  ctrlK()
  const again = within(await screen.findByRole('dialog', { name: 'Search' }, pageTimeout))
  expect(within(again.getByRole('group', { name: 'Recent' })).getByRole('option').textContent).toContain('alpha-2')
  type(again, 'nothing is called like this')
  expect(await again.findByText('No results for “nothing is called like this”.', {}, pageTimeout)).toBeTruthy()
})

it('accepts list filters and opens a list that supports them', long, async () => {
  const search = await openSearch()
  type(search, 'status:available alpha')
  const offered = within(await search.findByRole('group', { name: 'Filter a list' }, pageTimeout))
  expect(offered.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'Virtual machinesstatus:available alpha',
    'Imagesstatus:available alpha',
    'Volumesstatus:available alpha',
  ])
  fireEvent.click(offered.getByRole('option', { name: /Volumes/ }))
  await vi.waitFor(() => expect(page!.address()).toBe('/compute/volumes?status=in:available&search=alpha'), pageTimeout)
})

it(
  'offers the pages, create actions and virtual machine consoles that the role permits',
  { ...long, tags: 'all' },
  async () => {
    const boot = { source: 'blank', size: GiB, boot_index: 0 } as const
    const body = { name: 'shop', flavor: 's1.tiny', networks: [], volumes: [boot] }
    const as = 'project-member'
    const { id } = await server.call(instances.create, { as, body })
    await vi.waitFor(async () => {
      const { status, task_state } = await server.call(instances.view, { as, params: { id } })
      expect([status, task_state]).toEqual(['ACTIVE', null])
    }, pageTimeout)
    const search = await openSearch()
    await line(search, /^Create virtual machine$/)
    // pages with their menu groups, including Images, which is only a tab within a menu entry
    expect(lines(search)).toEqual(
      expect.arrayContaining(['Create virtual machine', 'SSH keysCompute', 'ImagesCompute', 'Your account']),
    )
    expect(lines(search)).not.toContain('Create user')
    type(search, 'shop')
    const opened = vi.spyOn(window, 'open').mockReturnValue(null)
    fireEvent.click(await line(search, /Open the console for shop/))
    expect(opened.mock.calls).toEqual([[`/compute/servers/instances/${id}/console?protocol=vnc`, `console-vnc-${id}`]])
    opened.mockRestore()
    ctrlK()
    const again = within(await screen.findByRole('dialog', { name: 'Search' }, pageTimeout))
    type(again, 'shop')
    expect((await line(again, /^shop(?!-)/)).textContent).toBe('shopActive')
    type(again, 'key add')
    await vi.waitFor(() => expect(lines(again)).toEqual(['Add SSH key']), pageTimeout)
    // Enter opens the first result if none is selected
    const box = again.getByRole('combobox')
    await vi.waitFor(() => expect(again.getByRole('listbox').getAttribute('aria-busy')).toBe('false'), pageTimeout)
    fireEvent.keyDown(box, { key: 'Enter' })
    await expectAddress('/compute/ssh-keys/add')

    // a virtual machine that is shut down has no console
    await server.call(instances.stop, { as, params: { id }, body: { hard: true } })
    await vi.waitFor(async () => {
      expect((await server.call(instances.view, { as, params: { id } })).status).toBe('SHUTOFF')
    }, pageTimeout)
    const off = await openSearch()
    type(off, 'shop')
    expect((await line(off, /^shop(?!-)/)).textContent).toBe('shopShut down')
    expect(lines(off)).not.toContain('Open the console for shop')
  },
)

it(
  'switches to another project unless the feature is off, and hides that feature in the admin panel',
  { ...long, tags: 'all' },
  async () => {
    const search = await openSearch('service-account')
    type(search, 'a-two')
    expect(await line(search, /alpha-two/)).toBeTruthy()
    fireEvent.click(search.getByRole('tab', { name: 'Features' }))
    fireEvent.click(await search.findByRole('switch', { name: 'Project search' }, pageTimeout))
    expect(localStorage.getItem('features')).toBe('{"project-search":false}')
    fireEvent.click(search.getByRole('tab', { name: 'Go to' }))
    type(search, 'a-two')
    expect(await search.findByText('No results for “a-two”.', {}, pageTimeout)).toBeTruthy()
    fireEvent.click(search.getByRole('tab', { name: 'Features' }))
    fireEvent.click(await search.findByRole('button', { name: /^Reset/ }, pageTimeout))
    expect(localStorage.getItem('features')).toBeNull()

    const operators = await openSearch('superuser', '/domains')
    act(() => setSession({ panel: { panel: 'admin', version: '1' } }))
    fireEvent.click(operators.getByRole('tab', { name: 'Features' }))
    await operators.findByRole('switch', { name: 'Keyboard shortcuts' }, pageTimeout)
    expect(operators.queryByRole('switch', { name: 'Project search' })).toBeNull()
  },
)

it('every kind with a page has the same name as its list in the menu', async () => {
  await openPage('/account', 'project-member')
  const kinds = routes.flatMap(({ shows }) => shows ?? [])
  expect(kinds.length).toBeGreaterThan(15)
  expect(kinds.filter((kind) => listOf(kind) === undefined)).toEqual([])
})
