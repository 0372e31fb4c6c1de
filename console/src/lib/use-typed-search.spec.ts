import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { useTypedSearch } from './use-typed-search'

afterEach(() => vi.useRealTimers())

it('reports a pending search from the first keystroke and searches once typing pauses', () => {
  vi.useFakeTimers()
  const { result } = renderHook(() => useTypedSearch('web-1'))
  expect(result.current).toMatchObject({ search: '', isAwaited: false })
  act(() => result.current.onSearch('w'))
  expect(result.current).toMatchObject({ search: '', isAwaited: true })
  act(() => result.current.onSearch('we'))
  act(() => void vi.advanceTimersByTime(1000))
  expect(result.current).toMatchObject({ search: 'we', isAwaited: false })
  act(() => result.current.onSearch('web-1'))
  act(() => void vi.advanceTimersByTime(1000))
  expect(result.current).toMatchObject({ search: '', isAwaited: false })
})
