import { sessionSettings } from '@mainstay/contract/settings/sessions'
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../../../server/src/testing/personas'
import { loadMeta } from '../../session/meta'
import { useIdle } from '../../session/idle'
import { writeLeaveTime } from '../../session/leave-time'
import { sessionNow } from '../../session/session'
import { closePage, openPage, page, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { renderPage } from '../../testing/render-page'

withPages()
afterEach(() => server.call(sessionSettings.save, { as: 'superuser', body: { idle_timeout_minutes: 15 } }))

// a signed-out user stays signed out for the rest of the file, so each test uses a different one
async function openWatched(who: PersonaName) {
  localStorage.removeItem('leaveTime-self-service')
  await openPage('/tasks', who)
  // wait for the countdown to start
  await vi.waitFor(() => expect(localStorage.getItem('leaveTime-self-service')).not.toBeNull(), pageTimeout)
}
const warning = () => screen.findByRole('alertdialog', { name: 'Still there?' }, pageTimeout)

it('warns in the last minute before the sign-out, and a click keeps the user signed in', { tags: 'all' }, async () => {
  await openWatched('project-member')
  act(() => writeLeaveTime(14 * 60 + 20))
  const dialog = await warning()
  expect(dialog.textContent).toMatch(
    /You will be signed out in \d+ seconds because there was no activity in any tab for 14 minutes/,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Stay signed in' }))
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(sessionNow().user).not.toBeNull()
})

it('shows the idle minutes on the sign-in page, even after the page is opened again [ST-015]', async () => {
  await openWatched('project-member')
  act(() => writeLeaveTime(15 * 60))
  const message = 'You have been signed out after 15 minutes of inactivity.'
  await screen.findByText(message, {}, pageTimeout)
  expect(page!.address()).toMatch(/^\/login.*idle=15/)
  expect(page!.address()).toContain('redirectUrl=/tasks')
  const address = page!.address()
  closePage()
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'], shouldAdvanceTime: true })
  const again = await renderPage(address, { server })
  try {
    await screen.findByText(message, {}, pageTimeout)
    writeLeaveTime(0)
    act(() => void vi.advanceTimersByTime(60_000))
    expect(screen.getByText(message)).toBeTruthy()
  } finally {
    again.close()
    vi.useRealTimers()
  }
})

it('does not mention inactivity after a deliberate sign-out', { tags: 'all' }, async () => {
  await openWatched('project-admin')
  act(() => writeLeaveTime(14 * 60 + 30))
  await warning()
  fireEvent.click(screen.getByRole('button', { name: 'Sign out now' }))
  await screen.findByLabelText('Username', {}, pageTimeout)
  expect(screen.queryByText(/of inactivity/)).toBeNull()
})

it('does not sign users out if the idle timeout is 0 minutes, and applies a changed setting [ST-017]', async () => {
  await openWatched('other-member')
  expect(sessionNow().meta?.idle_timeout_minutes).toBe(15)
  await server.call(sessionSettings.save, { as: 'superuser', body: { idle_timeout_minutes: 0 } })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await act(() => loadMeta())
  expect(sessionNow().meta?.idle_timeout_minutes).toBe(0)
  act(() => writeLeaveTime(24 * 3600))
  act(() => void vi.advanceTimersByTime(60_000))
  vi.useRealTimers()
  expect(useIdle.getState().secondsLeft).toBeNull()
  expect(sessionNow().user).not.toBeNull()
  await server.call(sessionSettings.save, { as: 'superuser', body: { idle_timeout_minutes: 1 } })
  await act(() => loadMeta())
  act(() => writeLeaveTime(60))
  await screen.findByText('You have been signed out after 1 minute of inactivity.', {}, pageTimeout)
})
