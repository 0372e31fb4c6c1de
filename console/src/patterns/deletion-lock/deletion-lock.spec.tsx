import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumes } from '@mainstay/contract/storage/volumes'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pressAndLoad } from '../../testing/press-and-load'
// what a press fetches is compiled before the tests begin
import '../ActionMenu'
import './ask-lock'

const as = 'superuser@demo'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer({ world: 'demo' })
})
afterAll(() => server.close())
afterEach(() => page?.close())

const open = async (path: string, who: Parameters<typeof renderPage>[1]['as'] = as) => {
  page = await renderPage(path, { server, as: who })
}
async function disk(name: string): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name, size: GiB } })
  await vi.waitFor(async () =>
    expect((await server.call(volumes.view, { as, params: { id } })).status).toBe('available'),
  )
  return id
}
const lockOf = async (id: string) => (await server.call(volumes.view, { as, params: { id } })).deletion_lock
const instanceNamed = async (name: string) =>
  (await server.call(instances.list, { as, query: { name: `exact:${name}` } })).data[0]!
/** Opens the menu of a row of a list. */
async function openMenu(path: string, name: string) {
  await open(`${path}?name=${name}`)
  const row = await screen.findByRole('row', { name: new RegExp(`^${name}`) })
  await pressAndLoad(within(row).getByRole('button', { name: `Actions of ${name}` }))
  return row
}
const choose = async (label: string) => fireEvent.click(await screen.findByRole('menuitem', { name: label }))

it('a volume is locked with a reason from its menu, shows who locked it, and is unlocked again', async () => {
  const id = await disk('ledger')
  const row = await openMenu('/compute/volumes', 'ledger')
  expect(within(row).queryByText('Locked against deletion')).toBeNull()
  await choose('Lock against deletion')
  const question = await screen.findByRole('alertdialog', { name: 'Lock volume “ledger” against deletion?' })
  fireEvent.change(within(question).getByRole('textbox', { name: /^Reason/ }), { target: { value: 'audit' } })
  fireEvent.click(within(question).getByRole('button', { name: 'Lock against deletion' }))
  await within(row).findByText('Locked against deletion')
  expect(await lockOf(id)).toMatchObject({ by: 'admin', reason: 'audit' })
  page?.close()

  await open(`/compute/volumes/${id}`)
  await screen.findByText('audit')
  fireEvent.click(await screen.findByRole('button', { name: 'Remove the lock' }))
  const second = await screen.findByRole('alertdialog', { name: 'Remove the lock of volume “ledger”?' })
  within(second).getByText('audit')
  fireEvent.click(within(second).getByRole('button', { name: 'Remove the lock' }))
  await screen.findByText('Not locked against deletion')
  expect(await lockOf(id)).toBeUndefined()
})

it('a locked row says so beside its name, and cannot be deleted from its menu', async () => {
  await server.call(volumes.lock, { as, params: { id: await disk('held') }, body: {} })
  const row = await openMenu('/compute/volumes', 'held')
  within(row).getByText('Locked against deletion')
  const item = await screen.findByRole('menuitem', { name: /^Delete/ })
  expect(item.getAttribute('aria-disabled')).toBe('true')
  within(item).getByText('admin has locked it against deletion. Remove the lock first.')
})

it('who may not change an object sees its lock, and nothing to change it', async () => {
  const id = await disk('seen')
  await server.call(volumes.lock, { as, params: { id }, body: { reason: 'shown to all' } })
  await open(`/compute/volumes/${id}`, 'viewer')
  await screen.findByText('shown to all')
  expect(screen.queryByRole('button', { name: 'Remove the lock' })).toBeNull()
})

it('deleting a machine says which volumes go and stay, which are locked, and what it gives up', async () => {
  const { name, volumes: disks, network_data: cards } = await instanceNamed('web-1')
  const [boot] = disks
  await server.call(volumes.lock, { as, params: { id: boot!.id }, body: { reason: 'evidence' } })
  await openMenu('/compute/instances', name)
  await choose('Delete')
  const question = await screen.findByRole('alertdialog', { name: /^Delete virtual machine/ })
  const box = await within(question).findByRole('checkbox', { name: new RegExp(boot!.name) })
  await within(question).findByText('evidence')
  await within(question).findByText(cards[0]!.fixed_ips[0]!.ip_address)
  if (!(box as HTMLInputElement).checked) fireEvent.click(box)
  // the server says why it would be refused, of the choice as it is
  await within(question).findByText(/is locked against deletion by admin since/)
  fireEvent.click(box)
  await vi.waitFor(() => expect(within(question).queryByText(/is locked against deletion by admin since/)).toBeNull())
  within(question).getByText(/1 volume is kept/)
})
