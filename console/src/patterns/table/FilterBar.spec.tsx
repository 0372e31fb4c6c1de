import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { volumes } from '@mainstay/contract/storage/volumes'
import { act, fireEvent, screen } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pageTimeout } from '../../testing/page-timeout'

const as = 'project-member'
const long = { timeout: 120_000 }

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
  for (const [name, type] of [
    ['web', 'ed25519'],
    ['mail', 'ed25519'],
    ['old', 'ecdsa'],
  ] as const)
    await server.call(sshKeys.generate, { as, body: { name, type } })
  await server.call(volumes.create, { as, body: { name: 'disk', size: 2 ** 30 } })
})
afterAll(() => server.close())
afterEach(() => page?.close())

async function open(path = '') {
  page = await renderPage(`/compute/ssh-keys${path}`, { server, as })
  return screen.findByRole('combobox', { name: /^Search/ }, pageTimeout)
}
const type = (box: HTMLElement, value: string) => fireEvent.change(box, { target: { value } })
const press = (key: string) => fireEvent.keyDown(document.activeElement!, { key })
const options = () => screen.queryAllByRole('option').map((it) => it.textContent)
const offers = (expected: unknown) => vi.waitFor(() => expect(options()).toEqual(expected), pageTimeout)
const rowNames = () => screen.getAllByRole('row').flatMap((it) => it.getAttribute('aria-label') ?? [])
const shows = (names: string[]) => vi.waitFor(() => expect(rowNames()).toEqual(names), pageTimeout)

it('suggests fields, then their values with counts, using only the keyboard', { ...long, tags: 'all' }, async () => {
  const box = await open()
  await shows(['mail', 'old', 'web'])
  fireEvent.keyDown(document.body, { key: '/' })
  expect(document.activeElement).toBe(box)
  await offers(['Namename:', 'Typetype:'])
  expect(box.getAttribute('aria-expanded')).toBe('true')
  await screen.findByText('2 suggestions', {}, pageTimeout)
  type(box, 'ty')
  await offers(['Typetype:', 'Search for “ty”'])
  press('Tab')
  expect((box as HTMLInputElement).value).toBe('type:')
  await offers(['Ed255192', 'ECDSA1', 'RSA0', 'DSA0', 'Type: exclude values'])
  press('ArrowDown')
  press('ArrowUp')
  press('ArrowDown')
  const [first] = screen.getAllByRole('option')
  expect(first!.getAttribute('aria-selected')).toBe('true')
  expect(box.getAttribute('aria-activedescendant')).toBe(first!.id)
  expect(box.getAttribute('aria-controls')).toBe(screen.getByRole('listbox').id)
  expect((await screen.findByText('5 suggestions', {}, pageTimeout)).getAttribute('role')).toBe('status')
  type(box, 'type:ec')
  await offers(['ECDSA1', 'Type: exclude values'])
  press('Tab')
  await shows(['old'])
  expect(page!.address()).toBe('/compute/ssh-keys?type=in:ecdsa')
  expect((box as HTMLInputElement).value).toBe('')
  expect(screen.queryByRole('listbox')).toBeNull()
  press('Backspace')
  await shows(['mail', 'old', 'web'])
  expect(page!.address()).toBe('/compute/ssh-keys')
  press('Escape')
  expect(document.activeElement).not.toBe(box)
})

it('excludes values and shows this on the chip', long, async () => {
  const box = await open()
  act(() => box.focus())
  type(box, 'type:ed')
  await offers(['Ed255192', 'Type: exclude values'])
  press('ArrowUp')
  press('Enter')
  expect((box as HTMLInputElement).value).toBe('-type:ed')
  await offers(['Ed255192'])
  press('ArrowDown')
  press('Enter')
  await shows(['old'])
  expect(screen.getByText('not Ed25519')).toBeTruthy()
  expect(page!.address()).toBe('/compute/ssh-keys?type=not:ed25519')
})

it('adds a value to a filter and counts values with the other filters applied', long, async () => {
  const box = await open('?type=in:ecdsa&name=old')
  await shows(['old'])
  act(() => box.focus())
  type(box, 'type:')
  await offers(['Ed255190', 'RSA0', 'DSA0', 'Type: exclude values'])
  type(box, 'name:')
  await offers(['Name: exclude values'])
  fireEvent.click(screen.getByRole('button', { name: 'Remove Name: old' }))
  await vi.waitFor(() => expect(page!.address()).toBe('/compute/ssh-keys?type=in:ecdsa'), pageTimeout)
  act(() => box.focus())
  type(box, 'type:ed')
  await offers(['Ed255192', 'Type: exclude values'])
  fireEvent.click(screen.getAllByRole('option')[0]!)
  await shows(['mail', 'old', 'web'])
  expect(page!.address()).toBe('/compute/ssh-keys?type=in:ecdsa,ed25519')
})

it('reports an unknown field and does not search for it', long, async () => {
  const box = await open()
  await shows(['mail', 'old', 'web'])
  act(() => box.focus())
  type(box, 'foo:bar')
  expect((await screen.findByText('Unknown field: foo', {}, pageTimeout)).getAttribute('role')).toBe('alert')
  press('Enter')
  expect(page!.address()).toBe('/compute/ssh-keys')
  expect((box as HTMLInputElement).value).toBe('foo:bar')
  type(box, 'mail foo:bar')
  press('Enter')
  await shows(['mail'])
  expect(page!.address()).toBe('/compute/ssh-keys?search=mail')
  type(box, '"foo:bar"')
  press('Enter')
  await vi.waitFor(() => expect(page!.address()).toBe('/compute/ssh-keys?search=foo:bar'), pageTimeout)
})

it('names the most restrictive filter if nothing matches, and removes it', long, async () => {
  await open('?name=old&type=in:ed25519')
  await screen.findByText('The filter Name: old hides the most rows.', {}, pageTimeout)
  fireEvent.click(screen.getByRole('button', { name: 'Remove the filter Name: old' }))
  await shows(['mail', 'web'])
})

it('accepts typed values if the server does not return suggestions', long, async () => {
  const box = await open()
  await shows(['mail', 'old', 'web'])
  const real = fetch
  const refused = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation((to, init) =>
      String(to instanceof Request ? to.url : to).includes('/facets/')
        ? Promise.resolve(new Response('{}', { status: 503 }))
        : real(to, init),
    )
  act(() => box.focus())
  type(box, 'type:ec')
  await offers(['ECDSA', 'Type: exclude values'])
  press('Tab')
  await shows(['old'])
  refused.mockRestore()
})

it('applies text typed in the global search and keeps its filters in the URL', long, async () => {
  const box = await open('?typed=type:ECDSA+old+foo:bar')
  await shows(['old'])
  expect(page!.address()).toBe('/compute/ssh-keys?type=in:ecdsa&search=old')
  expect((box as HTMLInputElement).value).toBe('old foo:bar')
})
