import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { CopyButton } from './CopyButton'

const clipboardThat = (writeText: () => Promise<void>) =>
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })

test('confirms copying', async () => {
  const write = vi.fn(() => Promise.resolve())
  clipboardThat(write)
  renderUi(<CopyButton value="7c9e" />)
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Copy 7c9e' })))
  expect(write).toHaveBeenCalledWith('7c9e')
  expect(screen.getByRole('status').textContent).toBe('Copied')
})

test('reports that the browser refused to copy', async () => {
  clipboardThat(() => Promise.reject(new Error('refused')))
  renderUi(<CopyButton value="7c9e">Copy details</CopyButton>)
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Copy details' })))
  expect(screen.getByRole('status').textContent).toBe('The browser blocked copying')
})
