import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumes } from '@mainstay/contract/storage/volumes'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pressAndLoad } from '../../testing/press-and-load'
// preloads lazy modules before the tests start
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
/** Opens a row's menu in a list. */
async function openMenu(path: string, name: string) {
  await open(`${path}?name=${name}`)
  const row = await screen.findByRole('row', { name: new RegExp(`^${name}`) })
  await pressAndLoad(await within(row).findByRole('button', { name: `Actions for ${name}` }))
  return row
}
const choose = async (label: string) => fireEvent.click(await screen.findByRole('menuitem', { name: label }))

it('locks a volume with a reason, shows who locked it, and unlocks it again', async () => {
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
  fireEvent.click(await screen.findByRole('button', { name: 'Remove lock' }))
  const second = await screen.findByRole('alertdialog', { name: 'Remove the deletion lock from volume “ledger”?' })
  within(second).getByText('audit')
  fireEvent.click(within(second).getByRole('button', { name: 'Remove lock' }))
  await screen.findByText('Not locked')
  expect(await lockOf(id)).toBeUndefined()
})

it('marks a locked row and disables Delete in its menu', async () => {
  await server.call(volumes.lock, { as, params: { id: await disk('held') }, body: {} })
  const row = await openMenu('/compute/volumes', 'held')
  within(row).getByText('Locked against deletion')
  const item = await screen.findByRole('menuitem', { name: /^Delete/ })
  expect(item.getAttribute('aria-disabled')).toBe('true')
  within(item).getByText('Locked against deletion by admin. Remove the lock first.')
})

it('shows the lock without a remove button if the user may not change the object', async () => {
  const id = await disk('seen')
  await server.call(volumes.lock, { as, params: { id }, body: { reason: 'shown to all' } })
  await open(`/compute/volumes/${id}`, 'viewer')
  await screen.findByText('shown to all')
  expect(screen.queryByRole('button', { name: 'Remove lock' })).toBeNull()
})

it(
  'lists deleted, kept and locked volumes and released addresses before deleting a virtual machine',
  { tags: 'all' },
  async () => {
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
    // the server’s refusal depends on the current choice
    const refusal = /is locked against deletion\. admin locked it on/
    await within(question).findByText(refusal)
    fireEvent.click(box)
    await vi.waitFor(() => expect(within(question).queryByText(refusal)).toBeNull())
    within(question).getByText(/1 volume is kept/)
  },
)
