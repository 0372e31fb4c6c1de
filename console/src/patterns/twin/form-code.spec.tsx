import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { volumes } from '@mainstay/contract/storage/volumes'
import { sessionNow, setSession } from '../../session/session'
import { enter, openPage, press, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

const long = { timeout: 180_000 }
withPages()
afterEach(() => localStorage.removeItem('mainstay.code'))

const code = async (name: string) =>
  (await screen.findByRole('region', { name }, pageTimeout)).querySelector('pre')!.textContent
const shows = (name: string, text: string) =>
  vi.waitFor(async () => expect(await code(name)).toContain(text), pageTimeout)

it('shows a form’s request as the user types, without sending it', long, async () => {
  await openPage('/compute/volumes/add', 'project-member')
  await press('Show code')
  // missing input appears as its field name
  await shows('curl', '"name": "<name>"')
  const asked = vi.spyOn(globalThis, 'fetch')
  await enter('Name', 'typed')
  await shows('curl', '"name": "typed"')
  expect(await code('curl')).toContain(`curl -sS -X POST ${location.origin}/api/v2/compute/volumes`)
  fireEvent.click(screen.getByRole('tab', { name: 'Command line' }))
  await shows('Command line', 'mainstay compute volumes create')
  await shows('Command line', 'typed')
  expect(asked.mock.calls.filter(([, options]) => options?.method === 'POST')).toEqual([])
  asked.mockRestore()
  const { count } = await server.call(volumes.list, {
    as: 'project-member',
    query: { name: 'typed', with_count: true },
  })
  expect(count).toBe(0)
  // the Terraform tab requires a cloud
  expect(screen.queryByRole('tab', { name: 'Terraform' })).toBeNull()
  const meta = sessionNow().meta!
  const compute = { ...meta.services.compute, terraform: true }
  act(() => setSession({ meta: { ...meta, services: { ...meta.services, compute } } }))
  fireEvent.click(await screen.findByRole('tab', { name: 'Terraform' }, pageTimeout))
  await shows('Terraform', 'resource "openstack_blockstorage_volume_v3" "typed"')
})

it('keeps the code visible in the next form until it is hidden', long, async () => {
  await openPage('/compute/volumes/add', 'project-member')
  await press('Show code')
  await code('curl')
  await openPage('/compute/server-groups/add', 'project-member')
  await shows('curl', '/api/v2/compute/server-groups')
  await press('Hide code')
  await openPage('/compute/volumes/add', 'project-member')
  await screen.findByRole('button', { name: 'Show code' }, pageTimeout)
  expect(screen.queryByRole('tab', { name: 'curl' })).toBeNull()
})

it('shows all calls if a form makes several that do not depend on each other', long, async () => {
  await openPage('/compute/volumes', 'project-member')
  const { dryRun, inTurn } = await import('../../api/dry-run')
  const { call } = await import('../../api/call')
  const asked = vi.spyOn(globalThis, 'fetch')
  const found = dryRun(() => inTurn(['a', 'b'].map((id) => () => call(volumes.delete, { params: { id } }))))
  expect(found.map(({ input }) => input.params)).toEqual([{ id: 'a' }, { id: 'b' }])
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
})
