import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIzLr3VPvYJ2yYXwKxH2wJ3yXn6m3C9p9Yf3b3vK0u6T laptop'
const as = 'project-member'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  const { data } = await server.call(sshKeys.list, { as, query: { limit: 100 } })
  await Promise.all(data.map(({ id }) => server.call(sshKeys.delete, { as, params: { id } })))
})
afterEach(() => page?.close())

const make = (...names: string[]) =>
  Promise.all(names.map((name) => server.call(sshKeys.generate, { as, body: { name } })))
const open = async (path = '') => {
  page = await renderPage(`/compute/ssh-keys${path}`, { server, as })
  return page
}
const row = (name: string) => screen.findByRole('row', { name })
const rowNames = () => screen.getAllByRole('row').flatMap((it) => it.getAttribute('aria-label') ?? [])

it('shows an empty state that offers to add a key', async () => {
  await open()
  await screen.findByText('No SSH keys yet.')
  expect(screen.getAllByRole('link', { name: 'Add SSH key' }).length).toBeGreaterThan(0)
})

it('sorts keys by the sort order in the URL, and can reverse it [RT-064]', async () => {
  await make('alpha', 'beta')
  const { address } = await open()
  await row('alpha')
  expect(rowNames()).toEqual(['alpha', 'beta'])
  fireEvent.click(screen.getByRole('button', { name: 'Name' }))
  await vi.waitFor(() => expect(rowNames()).toEqual(['beta', 'alpha']))
  expect(address()).toBe('/compute/ssh-keys?sort=name:desc')
})

it('keeps filters in the URL and shows them as chips', { tags: 'all' }, async () => {
  await make('web', 'db')
  const { address } = await open('?name=web')
  await row('web')
  expect(rowNames()).toEqual(['web'])
  expect(screen.getByText('Name:')).toBeTruthy()
  const box = screen.getByRole('combobox', { name: /^Search/ })
  fireEvent.change(box, { target: { value: 'type:rsa ' } })
  await screen.findByText('No items match the filters.')
  expect(address()).toBe('/compute/ssh-keys?name=web&type=in:ssh-rsa')
})

it(
  'moves between rows with arrow keys, selects with Space, and extends the selection with Shift',
  { tags: 'all' },
  async () => {
    await make('a', 'b', 'c')
    await open()
    const first = await row('a')
    first.focus()
    fireEvent.keyDown(first, { key: ' ' })
    fireEvent.keyDown(first, { key: 'ArrowDown', shiftKey: true })
    await vi.waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('b'))
    expect(screen.getByText('2 selected')).toBeTruthy()
    fireEvent.keyDown(document.activeElement!, { key: 'End' })
    await vi.waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('c'))
    expect(screen.getByText('2 selected')).toBeTruthy()
    fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
    expect(screen.queryByText('2 selected')).toBeNull()
  },
)

it('does not submit an invalid form, but scrolls to and focuses its first error [VA-009] [VA-010]', async () => {
  await open('/add')
  const form = await screen.findByRole('dialog')
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView')
  // fields without errors are skipped, even if they have the focus
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: 'web' } })
  fireEvent.click(within(form).getByRole('button', { name: 'Add SSH key' }))
  const wrong = within(form).getByRole('textbox', { name: /Public key/ })
  const inForm = () => (scrolled.mock.contexts as Element[]).filter((it) => form.contains(it))
  await vi.waitFor(() => expect(inForm()).toEqual([wrong]))
  scrolled.mockRestore()
  expect([wrong.getAttribute('aria-invalid'), document.activeElement]).toEqual(['true', wrong])
  const { count } = await server.call(sshKeys.list, { as, query: { with_count: true } })
  expect(count).toBe(0)
})

it('shows a server error on the field that it refers to [ER-020]', async () => {
  await make('taken')
  await open('/add')
  const form = await screen.findByRole('dialog')
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: 'taken' } })
  fireEvent.change(within(form).getByRole('textbox', { name: /Public key/ }), { target: { value: publicKey } })
  fireEvent.click(within(form).getByRole('button', { name: 'Add SSH key' }))
  const name = within(form).getByLabelText('Name')
  await vi.waitFor(() => expect(name.getAttribute('aria-invalid')).toBe('true'), { timeout: 60_000 })
  const described = (name.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id))
  expect(described.map((it) => it?.textContent).join(' ')).toContain('You already have an SSH key with this name')
  expect(
    within(form)
      .getByRole('textbox', { name: /Public key/ })
      .getAttribute('aria-invalid'),
  ).not.toBe('true')
})

it('adds a key and shows it in the list [RT-065]', async () => {
  const { address } = await open('/add?sort=name:desc')
  const form = await screen.findByRole('dialog')
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: 'laptop' } })
  fireEvent.change(within(form).getByRole('textbox', { name: /Public key/ }), { target: { value: publicKey } })
  fireEvent.click(within(form).getByRole('button', { name: 'Add SSH key' }))
  await row('laptop')
  expect(address()).toBe('/compute/ssh-keys?sort=name:desc')
})

it('shows the key that the URL refers to [RT-066]', async () => {
  const [key] = await make('looked at', 'another')
  const { address } = await open(`/${key!.id}`)
  const details = await screen.findByRole('dialog', { name: 'looked at' })
  expect(within(details).getByText(key!.fingerprint)).toBeTruthy()
  expect(within(details).getByText(key!.id)).toBeTruthy()
  expect(address()).toBe(`/compute/ssh-keys/${key!.id}`)
})

it('rejects an unsupported key type before submitting it [VA-047]', async () => {
  await open('/add')
  const form = await screen.findByRole('dialog')
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: 'other' } })
  const text = within(form).getByRole('textbox', { name: /Public key/ })
  fireEvent.change(text, { target: { value: publicKey.replace('ssh-ed25519', 'ssh-ed448') } })
  fireEvent.click(within(form).getByRole('button', { name: 'Add SSH key' }))
  await within(form).findByText('The key type must be ssh-rsa, ecdsa, ed25519 or dss')
  const { count } = await server.call(sshKeys.list, { as, query: { with_count: true } })
  expect(count).toBe(0)
})

it('asks before discarding user input [VA-012]', async () => {
  const { address } = await open('/add')
  const form = await screen.findByRole('dialog')
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: 'half' } })
  fireEvent.click(within(form).getByRole('button', { name: 'Cancel' }))
  const question = await screen.findByRole('alertdialog')
  fireEvent.click(within(question).getByRole('button', { name: 'Cancel' }))
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(address()).toBe('/compute/ssh-keys/add')
  fireEvent.click(within(form).getByRole('button', { name: 'Cancel' }))
  const again = await screen.findByRole('alertdialog')
  fireEvent.click(within(again).getByRole('button', { name: 'Discard changes' }))
  await vi.waitFor(() => expect(address()).toBe('/compute/ssh-keys'))
})

it('deletes several keys after one confirmation that lists their names [UI-089]', async () => {
  await make('one', 'two', 'three')
  await open()
  await row('one')
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows shown' }))
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }))
  const question = await screen.findByRole('alertdialog', { name: 'Delete 3 SSH keys?' })
  for (const name of ['one', 'two', 'three']) expect(within(question).getByText(name)).toBeTruthy()
  // the server first has to report which deletions it would refuse
  fireEvent.click(await within(question).findByRole('button', { name: 'Delete 3 SSH keys' }))
  await screen.findByText('No SSH keys yet.')
})
