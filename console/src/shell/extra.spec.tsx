import { lazy } from 'react'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { Extra } from './Extra'

it('omits a part of the frame that cannot be loaded and keeps the page', async () => {
  const complaint = vi.spyOn(console, 'error').mockImplementation(() => {})
  const load = vi.fn(() => Promise.reject<never>(new TypeError('Failed to fetch dynamically imported module')))
  const Part = lazy(load)
  render(
    <>
      <Extra>
        <Part />
      </Extra>
      <p>The page</p>
    </>,
  )
  await vi.waitFor(() => expect(complaint).toHaveBeenCalled())
  expect(load).toHaveBeenCalledOnce()
  expect(screen.getByText('The page')).toBeTruthy()
  complaint.mockRestore()
})
