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

// whoever is signed out here is signed out for good: each test has somebody else
async function openWatched(who: PersonaName) {
  localStorage.removeItem('leaveTime-self-service')
  await openPage('/tasks', who)
  // the counter has begun
  await vi.waitFor(() => expect(localStorage.getItem('leaveTime-self-service')).not.toBeNull(), pageTimeout)
}
const warning = () => screen.findByRole('alertdialog', { name: 'Still there?' }, pageTimeout)

it('in the last minute it asks whether somebody is there, and a press keeps them signed in', async () => {
  await openWatched('project-member')
  act(() => writeLeaveTime(14 * 60 + 20))
  const dialog = await warning()
  expect(dialog.textContent).toMatch(/You are signed out in \d+ seconds, because nothing was pressed for 14 minutes/)
  fireEvent.click(screen.getByRole('button', { name: 'Stay signed in' }))
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(sessionNow().user).not.toBeNull()
})

it('who was away is told on the sign-in page for how many minutes, for as long as it is open and when it is opened again [ST-015]', async () => {
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

it('whoever leaves by themselves is told nothing of it', async () => {
  await openWatched('project-admin')
  act(() => writeLeaveTime(14 * 60 + 30))
  await warning()
  fireEvent.click(screen.getByRole('button', { name: 'Sign out now' }))
  await screen.findByLabelText('User name', {}, pageTimeout)
  expect(screen.queryByText(/of inactivity/)).toBeNull()
})

it('an installation that sets 0 minutes signs nobody out, and the setting holds for all [ST-017]', async () => {
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
