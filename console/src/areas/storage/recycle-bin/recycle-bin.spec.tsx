import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { GiB } from '@mainstay/contract/core/bytes'
import { Problem } from '@mainstay/contract/core/problems'
import { recycleBin } from '@mainstay/contract/storage/recycle-bin'
import { volumes } from '@mainstay/contract/storage/volumes'
import { pressAndLoad } from '../../../testing/press-and-load'
import { openPage, press, server, told, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

/* Recycle bin pages. Moving objects to the bin and restoring one from its row are covered by e2e/storage. */

const long = { timeout: 120_000 }
const as = 'project-member'
const place = '/compute/recycle-bin'
withPages()

async function deleted(name: string, who: typeof as | 'other-member' = as): Promise<string> {
  const { id } = await server.call(volumes.create, { as: who, body: { name, size: GiB } })
  await vi.waitFor(async () => {
    expect((await server.call(volumes.view, { as: who, params: { id } })).status).toBe('available')
  }, pageTimeout)
  await server.call(volumes.delete, { as: who, params: { id } })
  return id
}
const row = (name: string) => screen.findByRole('row', { name }, pageTimeout)
const isGone = (name: string) => vi.waitFor(() => expect(screen.queryByRole('row', { name })).toBeNull(), pageTimeout)
const inBin = async (who: typeof as | 'other-member' = as) =>
  (await server.call(recycleBin.list, { as: who })).data.map(({ name }) => name)
async function actionsOf(name: string) {
  await row(name)
  await pressAndLoad(await screen.findByRole('button', { name: `Actions for ${name}` }))
  return (await screen.findAllByRole('menuitem', {}, pageTimeout)).map(({ textContent }) => textContent)
}

it('states the retention time while the bin is empty', long, async () => {
  await openPage(place, as)
  await screen.findByText(
    'The recycle bin is empty. Deleted virtual machines and volumes can be restored for 7 days.',
    {},
    pageTimeout,
  )
  expect(screen.queryByRole('button', { name: 'Empty recycle bin' })).toBeNull()
})

it('shows the project’s items with user and expiry, and none from other projects', long, async () => {
  await deleted('ours')
  await deleted('theirs', 'other-member')
  await openPage(place, as)
  const shown = within(await row('ours'))
  for (const text of ['Volume', 'Can be restored', 'project_member']) expect(shown.getByText(text), text).toBeTruthy()
  expect(shown.getByText('in 7 days')).toBeTruthy()
  expect(screen.queryByRole('row', { name: 'theirs' })).toBeNull()
})

it('offers no actions to users with read-only access', long, async () => {
  await openPage(place, 'viewer')
  await row('ours')
  expect(screen.queryByRole('button', { name: 'Actions for ours' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Empty recycle bin' })).toBeNull()
})

it('shows why an item could not be restored, and keeps it', long, async () => {
  await openPage(place, as)
  const restore = vi
    .spyOn(server.tools.ports.storage.recycleBin, 'restore')
    .mockRejectedValueOnce(new Problem('quota_exceeded', 'There are too few vCPUs left'))
  expect(await actionsOf('ours')).toEqual(['Restore', 'Delete permanently'])
  fireEvent.click(screen.getByRole('menuitem', { name: 'Restore' }))
  await vi.waitFor(() => expect(told()).toContain('Cannot restore “ours”'), pageTimeout)
  expect(await inBin()).toContain('ours')
  restore.mockRestore()
})

it('empties only the project’s own bin, after the confirmation word has been typed', long, async () => {
  await deleted('ours-too')
  await openPage(place, as)
  await row('ours-too')
  await press('Empty recycle bin')
  const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  const verb = question.getByRole<HTMLButtonElement>('button', { name: 'Empty recycle bin' })
  expect(verb.disabled).toBe(true)
  fireEvent.change(question.getByRole('textbox'), { target: { value: 'empty' } })
  await vi.waitFor(() => expect(verb.disabled).toBe(false), pageTimeout)
  fireEvent.click(verb)
  for (const name of ['ours', 'ours-too']) await isGone(name)
  await vi.waitFor(async () => expect(await inBin()).toEqual([]), pageTimeout)
  expect(told()).toContain('2 objects are being permanently deleted')
  expect(await inBin('other-member')).toEqual(['theirs'])
})
