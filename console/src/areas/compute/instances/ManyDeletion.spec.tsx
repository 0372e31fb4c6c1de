import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { act, fireEvent, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { loadTexts } from '../../../i18n/use-t'
import { openPage, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'
import { renderUi } from '../../../testing/render-ui'
import ManyDeletion from './ManyDeletion'

withPages()

const volume = (id: string, name: string, size: number, isFlagged: boolean) => ({
  ...{ id, name, size, delete_on_termination: isFlagged },
})
const machine = (name: string, status: string, volumes: unknown[] = []) =>
  ({ id: `id of ${name}`, name, status, volumes }) as unknown as Instance
const namesUnder = async (words: RegExp) =>
  within((await screen.findByText(words)).closest('section')!)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)

it('lists the active instances and the volumes to be deleted, with their total size', async () => {
  const shared = volume('v3', 'shared', 5 * GiB, true)
  const many = [
    machine('web', 'ACTIVE', [volume('v1', 'web-boot', 20 * GiB, true), volume('v2', 'data', 100 * GiB, false)]),
    machine('db', 'SHUTOFF', [shared, volume('v4', '', 2 * GiB, true)]),
    machine('mail', 'ACTIVE', [shared]),
  ]
  await act(async () => renderUi(<ManyDeletion instances={many} days={0} />))
  expect(await namesUnder(/^2 virtual machines are active:/)).toEqual(['web', 'mail'])
  expect(await namesUnder(/^3 volumes \(.*\) are also deleted/)).toEqual(['web-boot', 'shared', 'v4'])
  expect(screen.getByTitle(/B$/).textContent).toBe('27\u00a0GiB')
  expect(screen.getByText('1 volume is kept.')).toBeTruthy()
})

it('omits empty sections', async () => {
  await act(async () => renderUi(<ManyDeletion instances={[machine('web', 'SHUTOFF')]} days={0} />))
  await act(async () => {
    await loadTexts('instance')
  })
  expect(screen.queryByText(/active:|also deleted|kept/)).toBeNull()
})

it('shows this summary in the list before a bulk deletion', { tags: 'all' }, async () => {
  const as = 'project-member'
  for (const name of ['one', 'two']) {
    const volumes = [{ source: 'blank' as const, size: GiB, boot_index: 0, delete_on_termination: name === 'one' }]
    await server.call(instances.create, { as, body: { name, flavor: 's1.nano', networks: [], volumes } })
  }
  await vi.waitFor(async () => {
    const { data } = await server.call(instances.list, { as })
    expect(data.map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE'])
  }, pageTimeout)
  await openPage('/compute/instances', as)
  for (const name of ['one', 'two'])
    fireEvent.click(await screen.findByRole('checkbox', { name: `Select ${name}` }, pageTimeout))
  fireEvent.click(within(await screen.findByRole('toolbar')).getByRole('button', { name: /^Delete/ }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete 2 virtual machines?' }, pageTimeout)
  expect(dialog.textContent).toMatch(/2 virtual machines are active:onetwo/)
  // the retention period is loaded along with the list and may arrive after the dialog opens
  await within(dialog).findByText(/You can restore them from the recycle bin for 7 days\./, undefined, pageTimeout)
  expect(dialog.textContent).toMatch(/1 volume \(1.GiB\) is also moved to the recycle bin/)
  expect(dialog.textContent).toContain('1 volume is kept.')
})
