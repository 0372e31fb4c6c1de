import { startTransition, Suspense, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { lazyPage } from './lazy-page'

afterEach(() => {
  vi.restoreAllMocks()
  sessionStorage.clear()
})

const loaded = (Page: () => React.ReactNode) => Promise.resolve({ default: Page })

it('shows a page once its code is loaded, without React warnings', async () => {
  const complaints = vi.spyOn(console, 'error')
  let come!: (module: { default: () => React.ReactNode }) => void
  const Page = lazyPage(() => new Promise((resolve) => (come = resolve)))
  function Around() {
    const [count, setCount] = useState(0)
    return (
      <>
        <button onClick={() => setCount(count + 1)}>again</button>
        <Suspense fallback="on its way">
          <Page />
        </Suspense>
      </>
    )
  }
  await act(async () => render(<Around />))
  expect(screen.getByText('on its way')).toBeTruthy()
  come({ default: () => <h1>The page</h1> })
  expect(await screen.findByRole('heading', { name: 'The page' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'again' }))
  expect(screen.getByRole('heading', { name: 'The page' })).toBeTruthy()
  expect(complaints).not.toHaveBeenCalled()
})

it('causes no React warning when its code loads during a transition, as happens in the router', async () => {
  const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
  const before = environment.IS_REACT_ACT_ENVIRONMENT
  // lets React resume suspended renders as in a browser
  environment.IS_REACT_ACT_ENVIRONMENT = false
  const complaints = vi.spyOn(console, 'error')
  const Page = lazyPage(() => new Promise((resolve) => setTimeout(resolve, 5)).then(() => loaded(() => <h1>There</h1>)))
  let go!: () => void
  function Around() {
    const [isThere, setThere] = useState(false)
    go = () => startTransition(() => setThere(true))
    return <Suspense fallback="on its way">{isThere && <Page />}</Suspense>
  }
  const place = document.createElement('div')
  const root = createRoot(place)
  try {
    root.render(<Around />)
    await vi.waitFor(() => expect(go).toBeTypeOf('function'))
    go()
    await vi.waitFor(() => expect(place.querySelector('h1')?.textContent).toBe('There'))
  } finally {
    root.unmount()
    environment.IS_REACT_ACT_ENVIRONMENT = before ?? true
  }
  expect(complaints).not.toHaveBeenCalled()
})

it('shows a preloaded page immediately and loads its code only once', async () => {
  const load = vi.fn(() => loaded(() => <h1>The page</h1>))
  const Page = lazyPage(load)
  await Page.preload?.()
  render(<Page />)
  expect(screen.getByRole('heading', { name: 'The page' })).toBeTruthy()
  expect(load).toHaveBeenCalledTimes(1)
})

it('loads the code again after a failure', async () => {
  const load = vi
    .fn()
    .mockRejectedValueOnce(new Error('offline'))
    .mockImplementation(() => loaded(() => <h1>Here</h1>))
  const Page = lazyPage(load)
  await Page.preload?.()
  await Page.preload?.()
  render(<Page />)
  expect(screen.getByRole('heading', { name: 'Here' })).toBeTruthy()
})
