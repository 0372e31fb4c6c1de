import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { flavors } from '@mainstay/contract/compute/flavors'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { menuFor } from '../../../nav/menu'
import { sessionNow } from '../../../session/session'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'
import { pressAndLoad } from '../../../testing/press-and-load'
import { pageTimeout } from '../../../testing/page-timeout'

const operator = 'compute-operator'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

const namesOfFlavors = async () =>
  (await server.call(flavors.list, { as: operator, query: { limit: 100 } })).data.map(({ name }) => name)

it('lets an operator create a flavor and shows its vCPUs and memory', { tags: 'all' }, async () => {
  page = await renderPage('/compute/flavors/add', { server, as: operator })
  const form = within(await screen.findByRole('dialog', { name: 'Create flavor' }, pageTimeout))
  fireEvent.change(form.getByLabelText('Name'), { target: { value: 'x1.wide' } })
  fireEvent.click(form.getByRole('button', { name: 'Create flavor' }))
  fireEvent.click(await screen.findByRole('link', { name: 'x1.wide' }, pageTimeout))
  const details = within(await screen.findByRole('dialog', { name: 'x1.wide' }, pageTimeout))
  expect(await details.findByTitle('1,073,741,824 B', {}, pageTimeout)).toBeTruthy()
  expect(details.getByText('All projects')).toBeTruthy()
  expect(details.getByText('ID')).toBeTruthy()
})

it('refuses a slash in a flavor name in both the form and the API [VA-042]', async () => {
  page = await renderPage('/compute/flavors/add', { server, as: operator })
  const form = within(await screen.findByRole('dialog', { name: 'Create flavor' }, pageTimeout))
  const field = form.getByLabelText('Name')
  for (const name of ['web/2', '/web', 'web/']) {
    fireEvent.change(field, { target: { value: name } })
    fireEvent.click(form.getByRole('button', { name: 'Create flavor' }))
    await form.findByText('Do not use slashes', {}, pageTimeout)
    await expect(
      server.call(flavors.create, { as: operator, body: { name, vcpus: 1, ram: 64 } }),
    ).rejects.toMatchObject({ code: 'validation', fields: { name: ['Do not use slashes'] } })
    fireEvent.change(field, { target: { value: 'web' } })
    await vi.waitFor(() => expect(form.queryByText('Do not use slashes')).toBeNull(), pageTimeout)
  }
  expect((await namesOfFlavors()).filter((name) => name.includes('/'))).toEqual([])
  // all other characters are allowed
  fireEvent.change(field, { target: { value: '2 web\\3.5-é_x,y' } })
  fireEvent.click(form.getByRole('button', { name: 'Create flavor' }))
  await vi.waitFor(async () => expect(await namesOfFlavors()).toContain('2 web\\3.5-é_x,y'), pageTimeout)
})

it(
  'explains before deleting a flavor that existing instances keep their size, then returns to the list',
  { tags: 'all' },
  async () => {
    const body = { name: 'x1.short', vcpus: 1, ram: 64 }
    const { id } = await server.call(flavors.create, { as: operator, body })
    page = await renderPage(`/compute/flavors/${id}`, { server, as: operator })
    const details = within(await screen.findByRole('dialog', { name: 'x1.short' }, pageTimeout))
    await pressAndLoad(await details.findByRole('button', { name: 'Actions for x1.short' }, pageTimeout))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }, pageTimeout))
    const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
    expect(question.getByText('Existing virtual machines keep their vCPUs and memory.')).toBeTruthy()
    fireEvent.click(question.getByRole('button', { name: 'Delete flavor' }))
    await vi.waitFor(() => expect(page!.address()).toBe('/compute/flavors'), pageTimeout)
    expect(await namesOfFlavors()).not.toContain('x1.short')
  },
)

it('shows the menu entry to operators only', async () => {
  const labels = () =>
    menuFor(sessionNow())
      .flatMap(({ entries }) => entries)
      .map(({ label }) => label)
  for (const [as, isThere] of [
    [operator, true],
    ['project-member', false],
  ] as const) {
    page = await renderPage('/compute/ssh-keys', { server, as })
    await vi.waitFor(() => expect(sessionNow().meta).not.toBeNull(), pageTimeout)
    expect(labels().includes('menu.flavors')).toBe(isThere)
    page.close()
  }
})
