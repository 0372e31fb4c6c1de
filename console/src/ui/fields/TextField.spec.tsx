import { createEvent, fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { PasswordField } from './PasswordField'
import { TextArea } from './TextArea'
import { TextField } from './TextField'

const describedBy = (element: Element) =>
  (element.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join('')

test('replaces the help with the error and associates both with the field', () => {
  const view = renderUi(<TextField label="Name" help="Letters and digits." />)
  const field = screen.getByLabelText('Name')
  expect(describedBy(field)).toBe('Letters and digits.')
  view.rerender(<TextField label="Name" help="Letters and digits." error="A name is needed." />)
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(describedBy(field)).toBe('A name is needed.')
})

test('marks an optional field', () => {
  renderUi(<TextField label="Description" isOptional />)
  expect(screen.getByLabelText(/Description\s*optional/)).toBeTruthy()
})

test('shows and hides a password on request', () => {
  renderUi(<PasswordField label="Password" />)
  const field = screen.getByLabelText<HTMLInputElement>('Password')
  expect(field.type).toBe('password')
  fireEvent.click(screen.getByRole('button', { name: 'Show password' }))
  expect(field.type).toBe('text')
  fireEvent.click(screen.getByRole('button', { name: 'Hide password' }))
  expect(field.type).toBe('password')
})

test('warns about Caps Lock while a password is typed', () => {
  renderUi(<PasswordField label="Password" />)
  const field = screen.getByLabelText('Password')
  const keyUp = createEvent.keyUp(field, { key: 'A' })
  Object.defineProperty(keyUp, 'getModifierState', { value: (key: string) => key === 'CapsLock' })
  fireEvent(field, keyUp)
  expect(describedBy(field)).toBe('Caps Lock is on')
})

test('uses the direction of the typed text, but left to right for codes', () => {
  renderUi(
    <>
      <TextField label="Value" defaultValue="02:00–04:00" />
      <TextArea label="Description" />
      <TextField label="Address" isMono />
    </>,
  )
  expect(['Value', 'Description', 'Address'].map((name) => screen.getByLabelText(name).dir)).toEqual([
    'auto',
    'auto',
    'ltr',
  ])
})
