import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { CallProblem } from '../../api/problem'
import { I18n } from '../../i18n/I18n'
import { loadTexts } from '../../i18n/use-t'
import { FormBody } from './FormBody'
import { TextField } from './TextField'
import { useForm } from './use-form'

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

async function open(): Promise<HTMLElement> {
  const routeTree = createRootRoute({ component: Form })
  const router = createRouter({ routeTree, history: createMemoryHistory() })
  render(
    <I18n>
      <RouterProvider router={router as never} />
    </I18n>,
  )
  return screen.findByRole('textbox', { name: 'Name' })
}

it('what is wrong with a field is said after a pause of 350 ms in typing [CO-012]', async () => {
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

it('what the server says of no field of the form is listed over its fields [ER-021]', async () => {
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
