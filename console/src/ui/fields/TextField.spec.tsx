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

test('help belongs to the field, and gives way to the error', () => {
  const view = renderUi(<TextField label="Name" help="Letters and digits." />)
  const field = screen.getByLabelText('Name')
  expect(describedBy(field)).toBe('Letters and digits.')
  view.rerender(<TextField label="Name" help="Letters and digits." error="A name is needed." />)
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(describedBy(field)).toBe('A name is needed.')
})

test('what may be left out says so', () => {
  renderUi(<TextField label="Description" isOptional />)
  expect(screen.getByLabelText(/Description\s*optional/)).toBeTruthy()
})

test('a password is shown on request and hidden again', () => {
  renderUi(<PasswordField label="Password" />)
  const field = screen.getByLabelText<HTMLInputElement>('Password')
  expect(field.type).toBe('password')
  fireEvent.click(screen.getByRole('button', { name: 'Show password' }))
  expect(field.type).toBe('text')
  fireEvent.click(screen.getByRole('button', { name: 'Hide password' }))
  expect(field.type).toBe('password')
})

test('Caps Lock is told while typing a password', () => {
  renderUi(<PasswordField label="Password" />)
  const field = screen.getByLabelText('Password')
  const keyUp = createEvent.keyUp(field, { key: 'A' })
  Object.defineProperty(keyUp, 'getModifierState', { value: (key: string) => key === 'CapsLock' })
  fireEvent(field, keyUp)
  expect(describedBy(field)).toBe('Caps Lock is on')
})

test('what is typed has the direction of its own letters, and a code reads from left to right', () => {
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
