import { useEffect, useState } from 'react'
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import type { Choice } from './choice'
import { ComboBox } from './ComboBox'

const named = (...labels: string[]): Choice[] => labels.map((label) => ({ id: label, label }))
const machines = named('api-1', 'web-1', 'web-2', 'web-20')

const onChange = vi.fn()
let onSubmit = vi.fn()
/** Simulates the server’s response. */
let answer = (_items: Choice[]) => {}

/** A combobox whose search results are supplied by the test. */
function Asking() {
  const [value, setValue] = useState<string | null>(null)
  const [shown, setShown] = useState({ items: machines, isLoading: false })
  useEffect(() => {
    answer = (items) => act(() => setShown({ items, isLoading: false }))
  }, [])
  return (
    <form onSubmit={onSubmit}>
      <ComboBox
        label="Machine"
        value={value}
        onChange={(id) => {
          setValue(id)
          onChange(id)
        }}
        items={shown.items}
        isLoading={shown.isLoading}
        onSearch={() => setShown(({ items }) => ({ items, isLoading: true }))}
      />
    </form>
  )
}

function Filtering({ start = null }: { start?: string | null }) {
  const [value, setValue] = useState(start)
  return (
    <ComboBox
      label="Machine"
      value={value}
      onChange={(id) => {
        setValue(id)
        onChange(id)
      }}
      items={machines}
    />
  )
}

const box = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Machine' })
const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent)
function type(text: string) {
  act(() => box().focus())
  fireEvent.change(box(), { target: { value: text } })
}
const press = (key: string) => {
  fireEvent.keyDown(box(), { key })
  fireEvent.keyUp(box(), { key })
}
const marked = () => {
  const id = box().getAttribute('aria-activedescendant')
  return id === null ? null : document.getElementById(id)?.textContent
}
const open = (element: React.ReactElement) => {
  onChange.mockClear()
  onSubmit = vi.fn((event: Event) => event.preventDefault())
  renderUi(element)
}

test('dims outdated options and does not let keyboard or pointer select them', () => {
  open(<Asking />)
  type('web-2')
  expect(screen.getAllByRole('option').every((it) => it.getAttribute('aria-disabled') === 'true')).toBe(true)
  press('ArrowDown')
  expect(marked()).toBeNull()
  press('Enter')
  fireEvent.click(screen.getByRole('option', { name: 'api-1' }))
  expect(onChange).not.toHaveBeenCalled()
  expect(onSubmit).not.toHaveBeenCalled()
  expect(box().value).toBe('web-2')
})

test('selects the option that matches the typed name when Enter is pressed before the response', () => {
  open(<Asking />)
  type('Web-2')
  press('ArrowDown')
  press('Enter')
  answer(named('web-2', 'web-20'))
  expect(onChange.mock.calls).toEqual([['web-2']])
  expect(box().value).toBe('web-2')
  expect(options()).toEqual([])
})

test('highlights the first of several matches when Enter is pressed before the response, and selects it on the next Enter', () => {
  open(<Asking />)
  type('web')
  press('Enter')
  answer(named('web-1', 'web-2'))
  expect(onChange).not.toHaveBeenCalled()
  expect(marked()).toBe('web-1')
  press('Enter')
  expect(onChange.mock.calls).toEqual([['web-1']])
})

test('discards an early Enter if the user continues typing or leaves the field', () => {
  open(<Asking />)
  type('web-2')
  press('Enter')
  type('web-20')
  answer(named('web-20'))
  expect(onChange).not.toHaveBeenCalled()
  press('Enter')
  expect(onChange.mock.calls).toEqual([['web-20']])
})

test('does not select a disabled option by its name', () => {
  open(<Asking />)
  type('web-2')
  press('Enter')
  answer([{ id: 'web-2', label: 'web-2', disabledBecause: 'It is busy' }])
  expect(onChange).not.toHaveBeenCalled()
  expect(box().value).toBe('web-2')
})

test('with local filtering, Enter selects the typed option, and only closes the list if it is already selected', async () => {
  open(<Filtering start="api-1" />)
  type('web-20')
  expect(options()).toEqual(['web-20'])
  press('Enter')
  await vi.waitFor(() => expect(onChange.mock.calls).toEqual([['web-20']]))
  await vi.waitFor(() => expect(options()).toEqual([]))
  press('ArrowDown')
  await vi.waitFor(() => expect(options()).toHaveLength(4))
  type('WEB-20')
  press('Enter')
  await vi.waitFor(() => expect(options()).toEqual([]))
  expect(box().value).toBe('web-20')
  expect(onChange).toHaveBeenCalledOnce()
})

test('keeps the list open while its container scrolls', async () => {
  open(
    <div data-testid="around" style={{ overflow: 'auto' }}>
      <Filtering start="api-1" />
      <p>Elsewhere</p>
    </div>,
  )
  act(() => box().focus())
  await vi.waitFor(() => expect(options()).toHaveLength(4))
  fireEvent.scroll(screen.getByTestId('around'))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(options()).toHaveLength(4)
  press('Escape')
  await vi.waitFor(() => expect(options()).toEqual([]))
})
