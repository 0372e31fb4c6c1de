import { act, fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { hasDrafts } from '../../session/drafts'
import { writeLeaveTime } from '../../session/leave-time'
import { closePage, expectAddress, enter, field, openPage, press, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

withPages()

const add = '/compute/ssh-keys/add'
const kept = () => localStorage.getItem('drafts') ?? ''
const typed = async (name: string, label: string | RegExp = 'Name') => {
  await enter(label, name)
  await vi.waitFor(() => expect(kept()).toContain(name), pageTimeout)
}
const offer = () => screen.findByText(/^Unfinished form from/, {}, pageTimeout)

it('offers unsent input after a reload and restores it', { tags: 'all' }, async () => {
  await openPage(add, 'project-member')
  await typed('half-a-key')
  await openPage(add, 'project-member')
  await offer()
  expect((await field('Name')).value).toBe('')
  await press('Continue where you left off')
  await vi.waitFor(async () => expect((await field('Name')).value).toBe('half-a-key'), pageTimeout)
  expect(screen.queryByText(/^Unfinished form from/)).toBeNull()
  // a discarded draft is not offered again
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await press('Discard changes')
  await expectAddress('/compute/ssh-keys')
  expect(hasDrafts()).toBe(false)
})

it('deletes a draft that the user discards', async () => {
  await openPage(add, 'project-member')
  await typed('other-key')
  await openPage(add, 'project-member')
  await offer()
  await press('Discard')
  expect([screen.queryByText(/^Unfinished form from/), kept()]).toEqual([null, ''])
})

it('does not store secrets', async () => {
  await openPage('/users/add', 'domain-admin')
  fireEvent.click(await screen.findByRole('radio', { name: /password/i, checked: false }, pageTimeout))
  fireEvent.change(await field(/^Password/), { target: { value: 'correct horse 13' } })
  // the saved draft now includes the password field
  await typed('newcomer', /^Username/)
  expect(kept()).not.toContain('correct horse')
})

it(
  'keeps the draft after an idle sign-out, without asking for confirmation before leaving the page',
  { tags: 'all' },
  async () => {
    localStorage.removeItem('leaveTime-self-service')
    await openPage(add, 'project-admin')
    await vi.waitFor(() => expect(localStorage.getItem('leaveTime-self-service')).not.toBeNull(), pageTimeout)
    await typed('kept-key')
    act(() => writeLeaveTime(14 * 60 + 20))
    const warning = await screen.findByRole('alertdialog', { name: 'Still there?' }, pageTimeout)
    expect(warning.textContent).toContain('Your entries are kept on this device for 8 hours.')
    act(() => writeLeaveTime(15 * 60))
    await screen.findByText('You have been signed out after 15 minutes of inactivity.', {}, pageTimeout)
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(kept()).toContain('kept-key')
    closePage()
  },
)
