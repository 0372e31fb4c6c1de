import { act, fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { CallProblem } from '../../api/problem'
import { readKeptNotices } from '../../notices/kept-notices'
import { removeNotice, useNotices } from '../../notices/notices'
import { notifyError } from '../../notices/notify-error'
import { sessionNow } from '../../session/session'
import { openPage, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { pressAndLoad } from '../../testing/press-and-load'

withPages()
beforeEach(() => {
  for (const { id } of useNotices.getState().notices) removeNotice(id)
})

async function openCorner() {
  await openPage('/tasks', 'project-member')
  // the notification log is rendered, but hidden while it is empty
  await screen.findByRole('log', { hidden: true }, pageTimeout)
  // the log adds its listeners in effects, which run after it appears
  await act(async () => undefined)
}
const bell = () => screen.findByRole('button', { name: /^Notifications/ }, pageTimeout)
const failed = (more: Partial<ConstructorParameters<typeof CallProblem>[0]> = {}) =>
  new CallProblem({ kind: 'validation', status: 409, code: 'busy', message: 'It is being resized', ...more })
/** Errors in the corner. Waits until the dialog of the previous page is gone, because it hides the corner. */
const inCorner = async () => within(await screen.findByRole('log', {}, pageTimeout)).queryAllByRole('alert')

it('shows a failure with the given or the default title and keeps it in the list [ER-029]', async () => {
  await openCorner()
  act(() => notifyError(failed({ requestId: 'req-1' }), 'Cannot start web-1'))
  act(() => notifyError(failed({ message: 'The flavor is gone' })))
  expect((await inCorner()).map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/Cannot start web-1.*It is being resized/),
    expect.stringMatching(/The request failed.*The flavor is gone/),
  ])
  const told = { type: 'error', requestId: undefined }
  expect(readKeptNotices(sessionNow().user!.id)).toMatchObject([
    { ...told, title: 'The request failed', message: 'The flavor is gone' },
    { ...told, title: 'Cannot start web-1', message: 'It is being resized', requestId: 'req-1' },
  ])
  await pressAndLoad(await bell())
  const list = within(await screen.findByRole('dialog', { name: 'Notifications' }, pageTimeout))
  for (const title of ['Cannot start web-1', 'The request failed'])
    expect(await list.findByText(title, {}, pageTimeout)).toBeTruthy()
})

it('shows the request ID in the details', async () => {
  await openCorner()
  act(() => notifyError(failed({ requestId: 'req-17' }), 'Cannot start web-1'))
  fireEvent.click(within((await inCorner())[0]!).getByRole('button', { name: /details/i }))
  const details = await screen.findByRole('alertdialog', { name: 'Cannot start web-1' }, pageTimeout)
  expect(details.textContent).toContain('req-17')
})

it('shows unhandled failed calls but not cancelled ones', async () => {
  await openCorner()
  const unhandled = (reason: unknown) =>
    act(() => {
      dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason }))
    })
  unhandled(failed())
  expect(await inCorner()).toHaveLength(1)
  unhandled(failed({ kind: 'cancelled', message: 'called off' }))
  // an error in the page itself is not a failed call
  unhandled(new TypeError('undefined is no function'))
  expect(await inCorner()).toHaveLength(1)
})
