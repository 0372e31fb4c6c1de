import { act, fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { CallProblem } from '../../api/problem'
import { readKeptNotices } from '../../notices/kept-notices'
import { removeNotice, useNotices } from '../../notices/notices'
import { notifyError } from '../../notices/notify-error'
import { sessionNow } from '../../session/session'
import { openPage, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

withPages()
beforeEach(() => {
  for (const { id } of useNotices.getState().notices) removeNotice(id)
})

async function openCorner() {
  await openPage('/tasks', 'project-member')
  // without a notification it is not shown
  await screen.findByRole('log', { hidden: true }, pageTimeout)
  // it listens once its effects have run, which is after it is in the page
  await act(async () => undefined)
}
const bell = () => screen.findByRole('button', { name: /^Notifications/ }, pageTimeout)
const failed = (more: Partial<ConstructorParameters<typeof CallProblem>[0]> = {}) =>
  new CallProblem({ kind: 'validation', status: 409, code: 'busy', message: 'It is being resized', ...more })
/** What the corner shows; a dialog of the page before hides it until it has gone. */
const inCorner = async () => within(await screen.findByRole('log', {}, pageTimeout)).queryAllByRole('alert')

it('a failure is told as an error with the title that is given, or else the default one, and kept in the list [ER-029]', async () => {
  await openCorner()
  act(() => notifyError(failed({ requestId: 'req-1' }), 'Cannot start web-1'))
  act(() => notifyError(failed({ message: 'The flavor is gone' })))
  expect((await inCorner()).map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/Cannot start web-1.*It is being resized/),
    expect.stringMatching(/Something could not be done.*The flavor is gone/),
  ])
  const told = { type: 'error', requestId: undefined }
  expect(readKeptNotices(sessionNow().user!.id)).toMatchObject([
    { ...told, title: 'Something could not be done', message: 'The flavor is gone' },
    { ...told, title: 'Cannot start web-1', message: 'It is being resized', requestId: 'req-1' },
  ])
  fireEvent.click(await bell())
  const list = within(await screen.findByRole('dialog', { name: 'Notifications' }, pageTimeout))
  for (const title of ['Cannot start web-1', 'Something could not be done'])
    expect(await list.findByText(title, {}, pageTimeout)).toBeTruthy()
})

it('its details have the id under which the server has it in its log', async () => {
  await openCorner()
  act(() => notifyError(failed({ requestId: 'req-17' }), 'Cannot start web-1'))
  fireEvent.click(within((await inCorner())[0]!).getByRole('button', { name: /details/i }))
  const details = await screen.findByRole('alertdialog', { name: 'Cannot start web-1' }, pageTimeout)
  expect(details.textContent).toContain('req-17')
})

it('a call that fails where nobody waits for it is told too, and one that was called off is not', async () => {
  await openCorner()
  const unhandled = (reason: unknown) =>
    act(() => {
      dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason }))
    })
  unhandled(failed())
  expect(await inCorner()).toHaveLength(1)
  unhandled(failed({ kind: 'cancelled', message: 'called off' }))
  // a fault of the page is not a failed call
  unhandled(new TypeError('undefined is no function'))
  expect(await inCorner()).toHaveLength(1)
})
