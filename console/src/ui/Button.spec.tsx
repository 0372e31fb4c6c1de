import { createRef, type FormEvent } from 'react'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../testing/render-ui'
import { Button } from './Button'

const click = (element: Element) => fireEvent.click(element)

test('calls the handler once per press', () => {
  const press = vi.fn()
  renderUi(<Button onPress={press}>Save</Button>)
  click(screen.getByRole('button', { name: 'Save' }))
  expect(press).toHaveBeenCalledOnce()
})

test('a button with `disabledBecause` stays in the tab order, does nothing and states the reason', async () => {
  const press = vi.fn()
  renderUi(
    <Button onPress={press} disabledBecause="The volume is in use">
      Delete
    </Button>,
  )
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Delete' })
  expect(button.disabled).toBe(false)
  expect(button.getAttribute('aria-disabled')).toBe('true')
  expect(document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    'The volume is in use',
  )
  click(button)
  expect(press).not.toHaveBeenCalled()
  act(() => button.focus())
  expect((await screen.findByRole('tooltip')).textContent).toBe('The volume is in use')
  fireEvent.keyDown(button, { key: 'Escape' })
  expect(screen.queryByRole('tooltip')).toBeNull()
})

test('calls only `onBarredPress` while the button is disabled with a reason', () => {
  const [press, ask] = [vi.fn(), vi.fn()]
  const view = renderUi(
    <Button onPress={press} onBarredPress={ask} disabledBecause="The volume is in use">
      Delete
    </Button>,
  )
  click(screen.getByRole('button'))
  expect([press.mock.calls.length, ask.mock.calls.length]).toEqual([0, 1])
  view.rerender(
    <Button onPress={press} onBarredPress={ask}>
      Delete
    </Button>,
  )
  click(screen.getByRole('button'))
  expect([press.mock.calls.length, ask.mock.calls.length]).toEqual([1, 1])
})

test('keeps the focus when it becomes disabled with a reason', () => {
  const view = renderUi(<Button>Start</Button>)
  const button = screen.getByRole('button')
  act(() => button.focus())
  view.rerender(<Button disabledBecause="It is starting">Start</Button>)
  expect(document.activeElement).toBe(screen.getByRole('button'))
  expect(screen.getByRole('button')).toBe(button)
})

test('a busy button ignores presses, does not submit and announces that it is busy', () => {
  const press = vi.fn()
  const submit = vi.fn((event: FormEvent) => event.preventDefault())
  renderUi(
    <form onSubmit={submit}>
      <Button type="submit" isBusy onPress={press}>
        Create
      </Button>
    </form>,
  )
  click(screen.getByRole('button', { name: /^Create ?Working$/ }))
  expect(press).not.toHaveBeenCalled()
  expect(submit).not.toHaveBeenCalled()
})

test('a disabled button without a reason cannot be focused', () => {
  renderUi(<Button isDisabled>Save</Button>)
  expect(screen.getByRole<HTMLButtonElement>('button').disabled).toBe(true)
})

test('forwards a ref to the element', () => {
  const ref = createRef<HTMLButtonElement>()
  renderUi(<Button ref={ref}>Save</Button>)
  expect(ref.current?.tagName).toBe('BUTTON')
})

test('mentions <I18n> in the error if it is missing', () => {
  const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(() => render(<Button isBusy>Save</Button>)).toThrow('<I18n>')
  silence.mockRestore()
})
