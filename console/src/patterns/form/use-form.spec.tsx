import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, fireEvent, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { useFieldArray } from 'react-hook-form'
import * as z from 'zod'
import { CallProblem } from '../../api/problem'
import { I18n } from '../../i18n/I18n'
import { loadTexts } from '../../i18n/use-t'
import { FormBody } from './FormBody'
import { PasswordField } from './PasswordField'
import { TextField } from './form-fields'
import { errorDelayMs, useForm } from './use-form'

const schema = z.object({ name: z.string().min(2, 'Use at least 2 characters') })
const send = vi.fn(() => Promise.resolve())

function Form() {
  const state = useForm({ schema, start: { name: '' }, send, done: () => undefined })
  return (
    <FormBody state={state} id="form">
      <TextField name="name" label="Name" />
      <button type="submit">Send</button>
    </FormBody>
  )
}

beforeAll(() => Promise.all([loadTexts('shell'), loadTexts('patterns')]))
afterEach(() => void vi.useRealTimers())

async function open(component: () => ReactNode = Form, label = 'Name'): Promise<HTMLElement> {
  const routeTree = createRootRoute({ component })
  const router = createRouter({ routeTree, history: createMemoryHistory() })
  render(
    <I18n>
      <RouterProvider router={router as never} />
    </I18n>,
  )
  return screen.findByLabelText(label, { selector: 'input' })
}

it('shows a field error 350 ms after the last keystroke [CO-012]', async () => {
  const name = await open()
  vi.useFakeTimers()
  const type = (value: string) => fireEvent.change(name, { target: { value } })
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  const isWrong = () => name.getAttribute('aria-invalid') === 'true'
  type('fast')
  fireEvent.blur(name)
  await pass(1000)
  expect(isWrong()).toBe(false)
  type('f')
  await pass(349)
  type('')
  await pass(349)
  expect(isWrong()).toBe(false)
  await pass(1)
  expect(isWrong()).toBe(true)
  expect(screen.getByText('Use at least 2 characters')).toBeTruthy()
})

it('shows no error for an empty field that was only visited, until the form is submitted', async () => {
  const name = await open()
  vi.useFakeTimers()
  const isWrong = () => name.getAttribute('aria-invalid') === 'true'
  const pause = () => act(() => vi.advanceTimersByTimeAsync(10 * errorDelayMs))
  fireEvent.focus(name)
  fireEvent.blur(name)
  await pause()
  expect(isWrong()).toBe(false)
  fireEvent.submit(name.closest('form')!)
  await pause()
  expect(isWrong()).toBe(true)
})

it('shows the error on a field that was filled and cleared again when it loses the focus', async () => {
  const name = await open()
  fireEvent.change(name, { target: { value: 'web' } })
  fireEvent.change(name, { target: { value: '' } })
  fireEvent.blur(name)
  await screen.findByText('Use at least 2 characters')
})

it('shows server errors that do not belong to a field as a list above the fields [ER-021]', async () => {
  const name = await open()
  const fields = { name: ['This name is taken'], nodes: ['One of them is gone'], '': ['Too many of them'] }
  const message = 'Something is wrong'
  send.mockRejectedValueOnce(
    new CallProblem({ kind: 'validation', status: 400, code: 'validation', message, fields, requestId: 'req-5' }),
  )
  fireEvent.change(name, { target: { value: 'taken' } })
  fireEvent.click(screen.getByRole('button', { name: 'Send' }))
  await screen.findByText('This name is taken')
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'nodes: One of them is gone',
    'Too many of them',
  ])
  expect(screen.getByText(message)).toBeTruthy()
  expect(screen.getByText(/req-5/)).toBeTruthy()
})

it('sends a form once, and only when it is valid and asynchronous validation has finished [VA-058]', async () => {
  const asked: ((isFree: boolean) => void)[] = []
  const checked = z.object({
    name: z
      .string()
      .min(2, 'Use at least 2 characters')
      .refine(
        (text) => text.length < 2 || new Promise<boolean>((resolve) => asked.push(resolve)),
        'This name is taken',
      ),
  })
  let arrive: (() => void) | undefined
  const sent = vi.fn(() => new Promise<void>((resolve) => (arrive = resolve)))
  const Checked = () => {
    const state = useForm({ schema: checked, start: { name: '' }, send: sent, done: () => undefined })
    return (
      <FormBody state={state} id="checked">
        <TextField name="name" label="Name" />
        <button type="submit">Send</button>
      </FormBody>
    )
  }
  const name = await open(Checked)
  const press = () => fireEvent.submit(name.closest('form')!)
  const pending = () => vi.waitFor(() => expect(asked.length).toBeGreaterThan(0))
  const answer = async (isFree: boolean) => {
    await pending()
    for (const tell of asked.splice(0)) tell(isFree)
  }
  // the form is invalid
  press()
  await screen.findByText('Use at least 2 characters')
  // the form waits for validation
  fireEvent.change(name, { target: { value: 'taken' } })
  press()
  press()
  await pending()
  expect(sent).not.toHaveBeenCalled()
  await answer(false)
  await screen.findByText('This name is taken')
  expect(sent).not.toHaveBeenCalled()
  fireEvent.change(name, { target: { value: 'free' } })
  press()
  press()
  await answer(true)
  await vi.waitFor(() => {
    for (const tell of asked.splice(0)) tell(true)
    expect(sent).toHaveBeenCalledOnce()
  })
  // the form is being sent
  press()
  await act(() => Promise.resolve())
  expect([sent.mock.calls.length, asked.length]).toEqual([1, 0])
  await act(() => Promise.resolve(arrive?.()))
})

it('revalidates a dependent field only after the user has visited it [VA-011]', async () => {
  const same = z
    .object({ first: z.string(), again: z.string() })
    .refine(({ first, again }) => first === again, { path: ['again'], message: 'These differ' })
  const Twice = () => {
    const state = useForm({ schema: same, start: { first: '', again: '' }, send, done: () => undefined })
    return (
      <FormBody state={state} id="twice">
        <PasswordField name="first" label="Password" checks="again" />
        <PasswordField name="again" label="Again" />
      </FormBody>
    )
  }
  await open(Twice, 'Password')
  const [first, again] = ['Password', 'Again'].map((label) => screen.getByLabelText(label, { selector: 'input' }))
  // the dependent field has not been visited
  vi.useFakeTimers()
  fireEvent.change(first!, { target: { value: 'one' } })
  await act(() => vi.advanceTimersByTimeAsync(10 * errorDelayMs))
  vi.useRealTimers()
  expect(screen.queryByText('These differ')).toBeNull()
  fireEvent.change(again!, { target: { value: 'one' } })
  fireEvent.blur(again!)
  fireEvent.change(first!, { target: { value: 'two' } })
  await screen.findByText('These differ')
  fireEvent.change(first!, { target: { value: 'one' } })
  await vi.waitFor(() => expect(screen.queryByText('These differ')).toBeNull())
})

it('shows errors on a new list entry only after its field is visited or the form is submitted', async () => {
  const listed = z.object({ entries: z.array(z.object({ name: z.string().min(1, 'Enter a name') })) })
  const Listed = () => {
    const state = useForm({ schema: listed, start: { entries: [{ name: 'first' }] }, send, done: () => undefined })
    return (
      <FormBody state={state} id="listed">
        <Entries />
        <button type="submit">Send</button>
      </FormBody>
    )
  }
  const Entries = () => {
    const { fields, append, remove } = useFieldArray({ name: 'entries' })
    return (
      <>
        {fields.map(({ id }, at) => (
          <div key={id}>
            <TextField name={`entries.${at}.name`} label={`Entry ${at + 1}`} />
            <button type="button" aria-label={`Remove ${at + 1}`} onClick={() => remove(at)} />
          </div>
        ))}
        <button type="button" onClick={() => append({ name: '' })}>
          Add
        </button>
      </>
    )
  }
  const press = async (name: string) => {
    fireEvent.click(screen.getByRole('button', { name }))
    // nothing on the page shows that the list has been validated
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
  }
  const wrong = () => screen.queryAllByRole('textbox').map((input) => input.getAttribute('aria-invalid') === 'true')
  await open(Listed, 'Entry 1')
  send.mockClear()
  await press('Add')
  expect(wrong()).toEqual([false, false])
  const second = screen.getByLabelText('Entry 2', { selector: 'input' })
  for (const value of ['two', '']) fireEvent.change(second, { target: { value } })
  fireEvent.blur(second)
  await vi.waitFor(() => expect(wrong()).toEqual([false, true]))
  // the error stays with its entry when entries are added or removed
  await press('Add')
  expect(wrong()).toEqual([false, true, false])
  await press('Remove 1')
  expect(wrong()).toEqual([true, false])
  fireEvent.submit(screen.getByLabelText('Entry 1', { selector: 'input' }).closest('form')!)
  await vi.waitFor(() => expect(wrong()).toEqual([true, true]))
  expect(send).not.toHaveBeenCalled()
  await press('Add')
  expect(wrong()).toEqual([true, true, false])
})
