import { fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { Checkbox } from './Checkbox'

test('toggles on a click on the label and reports whether Shift was held', () => {
  const change = vi.fn()
  const view = renderUi(
    <Checkbox isSelected={false} onChange={change}>
      Its volumes
    </Checkbox>,
  )
  fireEvent.click(screen.getByText('Its volumes'))
  expect(change).toHaveBeenLastCalledWith(true, { isRange: false })
  fireEvent.click(screen.getByRole('checkbox', { name: 'Its volumes' }), { shiftKey: true })
  expect(change).toHaveBeenLastCalledWith(true, { isRange: true })
  // controlled: it stays unchecked until the prop changes
  expect(screen.getByRole<HTMLInputElement>('checkbox').checked).toBe(false)
  view.rerender(<Checkbox isSelected isIndeterminate onChange={change} aria-label="All" />)
  const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'All' })
  expect([all.checked, all.indeterminate]).toEqual([true, true])
})

test('shows an error instead of the help and associates it with the checkbox', () => {
  const view = renderUi(<Checkbox help="They are kept otherwise.">Its volumes</Checkbox>)
  const box = screen.getByRole('checkbox')
  const note = () => document.getElementById(box.getAttribute('aria-describedby')!)?.textContent
  expect(note()).toBe('They are kept otherwise.')
  view.rerender(
    <Checkbox help="They are kept otherwise." error="Tick this.">
      Its volumes
    </Checkbox>,
  )
  expect(note()).toBe('Tick this.')
  expect(box.getAttribute('aria-invalid')).toBe('true')
})
