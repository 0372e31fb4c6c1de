import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { CopyButton } from './CopyButton'

const clipboardThat = (writeText: () => Promise<void>) =>
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })

test('copying is confirmed', async () => {
  const write = vi.fn(() => Promise.resolve())
  clipboardThat(write)
  renderUi(<CopyButton value="7c9e" />)
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Copy 7c9e' })))
  expect(write).toHaveBeenCalledWith('7c9e')
  expect(screen.getByRole('status').textContent).toBe('Copied')
})

test('a browser that refuses is told of', async () => {
  clipboardThat(() => Promise.reject(new Error('refused')))
  renderUi(<CopyButton value="7c9e">Copy details</CopyButton>)
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Copy details' })))
  expect(screen.getByRole('status').textContent).toBe('The browser did not allow copying')
})
