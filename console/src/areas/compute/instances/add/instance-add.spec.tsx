import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { images } from '@mainstay/contract/compute/images'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { startServer, type TestServer } from '../../../../../../server/src/testing/start-server'
import { withLayout } from '../../../../testing/browser'
import { renderPage } from '../../../../testing/render-page'

const as = 'superuser@demo'
const wizard = '/compute/instances/add'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer({ world: 'demo' })
})
afterAll(() => server.close())
afterEach(() => page?.close())

const steps = ['image', 'flavor', 'volumes', 'networks', 'key', 'script']

it('opens the wizard at its own URL, with a row that links to each step [RT-051]', async () => {
  page = await renderPage(wizard, { server, as })
  await screen.findByRole('button', { name: 'Create virtual machine' })
  const rows = screen.getAllByRole('link', { name: /^(Choose|Change): / })
  expect(rows.map((row) => row.getAttribute('href'))).toEqual(steps.map((step) => `${wizard}/${step}`))
  expect(page.address()).toBe(wizard)
})

it('gives each wizard step a URL: flavor, image, key, networks, volumes, script [RT-052] [RT-053] [RT-054] [RT-055] [RT-056] [RT-057]', async () => {
  page = await renderPage(wizard, { server, as })
  for (const [step, title, shows] of [
    ['flavor', 'Flavor', /^s1\.small$/],
    ['image', 'Boot from', /^Debian 13$/],
    ['key', 'SSH key', /sign in without a password/],
    ['networks', 'Networks', /Default network/],
    ['volumes', 'Volumes', /^Add volume$/],
    ['script', 'Script', /#cloud-config/],
  ] as const) {
    await page.router.navigate({ to: `${wizard}/${step}` })
    const panel = await screen.findByRole('dialog', { name: title })
    await within(panel).findAllByText(shows)
    expect(page.address()).toBe(`${wizard}/${step}`)
    fireEvent.keyDown(panel, { key: 'Escape' })
    await vi.waitFor(() => expect(page!.address()).toBe(wizard))
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  }
})

it('disables an external network that is available only to routers', async () => {
  page = await renderPage(`${wizard}/networks`, { server, as })
  const panel = within(await screen.findByRole('dialog', { name: 'Networks' }))
  const choice = await panel.findByRole<HTMLInputElement>('checkbox', { name: /^public/ })
  expect(choice.disabled).toBe(true)
  panel.getByText('For routers and floating IPs only')
})

it(
  'preselects the SSH key if there is only one, and otherwise warns that signing in will be impossible',
  { tags: 'all' },
  async () => {
    const list = await server.call(images.list, { as, query: { name: 'exact:Debian 13' } })
    const at = `${wizard}?image=${list.data[0]!.id}`
    const mine = await server.call(sshKeys.list, { as })
    for (const { id } of mine.data) await server.call(sshKeys.delete, { as, params: { id } })
    page = await renderPage(at, { server, as })
    await screen.findByText(/Without a key or script, you cannot sign in/)
    page.close()
    await server.call(sshKeys.generate, { as, body: { name: 'laptop' } })
    page = await renderPage(at, { server, as })
    await screen.findByRole('link', { name: 'Change: SSH key' })
    expect(screen.getByText('laptop')).toBeDefined()
    expect(screen.queryByText(/you cannot sign in/)).toBeNull()
    page.close()
    await server.call(sshKeys.generate, { as, body: { name: 'another' } })
    page = await renderPage(at, { server, as })
    await screen.findByText(/you cannot sign in/)
  },
)
