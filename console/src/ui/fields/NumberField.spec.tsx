import { useState } from 'react'
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { NumberField } from './NumberField'

function Size({ onChange }: { onChange: (value: number | null) => void }) {
  const [value, setValue] = useState<number | null>(32)
  return (
    <NumberField
      label="Size"
      unit="GiB"
      minValue={1}
      value={value}
      onChange={(next) => {
        setValue(next)
        onChange(next)
      }}
    />
  )
}

function type(field: HTMLElement, text: string) {
  act(() => {
    field.focus()
    fireEvent.change(field, { target: { value: text } })
  })
  act(() => field.blur())
}

test('includes the unit in the accessible name', () => {
  renderUi(<Size onChange={() => {}} />)
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Size GiB' }).value).toBe('32')
})

test('reports a number when the field is left, and null for an empty field', () => {
  const change = vi.fn()
  renderUi(<Size onChange={change} />)
  const field = screen.getByRole('textbox', { name: 'Size GiB' })
  type(field, '64')
  expect(change).toHaveBeenLastCalledWith(64)
  type(field, '')
  expect(change).toHaveBeenLastCalledWith(null)
})
