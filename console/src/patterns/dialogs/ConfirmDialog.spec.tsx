import { beforeAll, expect, it, vi } from 'vitest'
import { act, fireEvent, screen } from '@testing-library/react'
import { cancelled, CallProblem } from '../../api/problem'
import { loadTexts } from '../../i18n/use-t'
import { renderUi } from '../../testing/render-ui'
import { confirm, type Question } from './confirm'
import ConfirmDialog from './ConfirmDialog'

beforeAll(() => Promise.all([loadTexts('patterns'), loadTexts('shell')]))

/** Opens the dialog and returns a list that receives its answer. */
function ask(question: Partial<Question>) {
  renderUi(<ConfirmDialog />)
  const answers: boolean[] = []
  act(() => {
    void confirm({ title: 'Delete it?', verb: 'Delete', ...question }).then((answer) => answers.push(answer))
  })
  return answers
}
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
const isOpen = () => screen.queryByRole('alertdialog') !== null
const inUse = () =>
  new CallProblem({ kind: 'validation', status: 409, code: 'in_use', message: 'The image has volumes' })

it('runs the action only after confirmation [UI-104]', async () => {
  const run = vi.fn(() => Promise.resolve())
  const refused = ask({ run })
  press('Cancel')
  await vi.waitFor(() => expect(refused).toEqual([false]))
  expect(run).not.toHaveBeenCalled()
  const answers = ask({ run })
  press('Delete')
  await vi.waitFor(() => expect(answers).toEqual([true]))
  expect(run).toHaveBeenCalledOnce()
  expect(isOpen()).toBe(false)
})

it('stays open and shows why the action failed [UI-105]', async () => {
  const answers = ask({ run: () => Promise.reject(inUse()) })
  press('Delete')
  await screen.findByText('The image has volumes')
  expect([isOpen(), answers]).toEqual([true, []])
})

it('disables the button after a failure only if a retry cannot help [UI-106]', async () => {
  const button = () => screen.getByRole('button', { name: 'Delete' })
  const run = vi.fn(() => Promise.reject(inUse()))
  ask({ run })
  press('Delete')
  await screen.findByText('The image has volumes')
  expect(button().hasAttribute('disabled')).toBe(false)
  press('Delete')
  await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(2))
  press('Cancel')

  const answers = ask({ run, isOverAfterError: true })
  expect(button().hasAttribute('disabled')).toBe(false)
  press('Delete')
  await screen.findByText('The image has volumes')
  expect(button().hasAttribute('disabled')).toBe(true)
  press('Delete')
  expect([run.mock.calls.length, answers]).toEqual([3, []])
})

it('cancels a running action that supports it [UI-108]', async () => {
  const answers = ask({
    run: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(cancelled()))),
  })
  press('Delete')
  expect([isOpen(), answers]).toEqual([true, []])
  press('Cancel')
  await vi.waitFor(() => expect(answers).toEqual([false]))
  expect(isOpen()).toBe(false)
  // an action that ignores the signal runs to completion
  let end = () => {}
  const whole = ask({ run: () => new Promise<void>((resolve) => (end = resolve)) })
  press('Delete')
  press('Cancel')
  await act(() => Promise.resolve())
  expect([isOpen(), whole]).toEqual([true, []])
  end()
  await vi.waitFor(() => expect([isOpen(), whole]).toEqual([false, [true]]))
})

it('cannot be confirmed until the required text is typed, or while a reason disables it [UI-109]', async () => {
  const run = vi.fn(() => Promise.resolve())
  const answers = ask({ run, typed: 'web' })
  press('Delete')
  expect(run).not.toHaveBeenCalled()
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'web' } })
  press('Delete')
  await vi.waitFor(() => expect(answers).toEqual([true]))
  ask({ run, disabledBecause: 'It is in use' })
  press('Delete')
  expect(run).toHaveBeenCalledOnce()
})

it('resolves with false without running the action on Cancel and on Escape [UI-107]', async () => {
  const run = vi.fn(() => Promise.resolve())
  for (const cancel of [
    () => press('Cancel'),
    () => fireEvent.keyDown(screen.getByRole('alertdialog'), { key: 'Escape' }),
  ]) {
    const answers = ask({ run })
    cancel()
    await vi.waitFor(() => expect(answers).toEqual([false]))
    expect([isOpen(), run.mock.calls.length]).toEqual([false, 0])
  }
})
