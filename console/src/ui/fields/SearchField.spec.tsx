import { useState } from 'react'
import { fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { SearchField } from './SearchField'

const submit = vi.fn()
const clear = vi.fn()
const outside = vi.fn()

function Search() {
  const [text, setText] = useState('')
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- a dialog that Escape closes
    <div onKeyDown={({ key }) => outside(key)}>
      <SearchField label="Search keys" value={text} onChange={setText} onSubmit={submit} onClear={clear} shortcut="/" />
    </div>
  )
}

test('submits on Enter; Esc clears the field, and passes through only if it is empty', () => {
  renderUi(<Search />)
  const box = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search keys' })
  fireEvent.change(box, { target: { value: 'web' } })
  fireEvent.keyDown(box, { key: 'Enter', isComposing: true })
  expect(submit).not.toHaveBeenCalled()
  fireEvent.keyDown(box, { key: 'Enter' })
  expect(submit).toHaveBeenCalledExactlyOnceWith('web')
  outside.mockClear()
  fireEvent.keyDown(box, { key: 'Escape' })
  expect(box.value).toBe('')
  expect(clear).toHaveBeenCalledTimes(1)
  expect(outside).not.toHaveBeenCalled()
  fireEvent.keyDown(box, { key: 'Escape' })
  expect(outside).toHaveBeenCalledExactlyOnceWith('Escape')
})

test('the button clears the field and focuses it, and the shortcut is shown only while the field is empty', () => {
  renderUi(<Search />)
  const box = screen.getByRole<HTMLInputElement>('searchbox')
  expect(screen.getByText('/')).toBeTruthy()
  fireEvent.change(box, { target: { value: 'web' } })
  expect(screen.queryByText('/')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Clear' }))
  expect(box.value).toBe('')
  expect(document.activeElement).toBe(box)
})
