import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { Time } from './Time'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

test('updates a relative time and provides the exact one', () => {
  renderUi(<Time at="2026-11-21T12:00:00Z" />)
  expect(screen.getByText('now').title).toMatch(/2026/)
  act(() => {
    vi.advanceTimersByTime(5 * 60_000)
  })
  expect(screen.getByText('5 minutes ago').getAttribute('datetime')).toBe('2026-11-21T12:00:00.000Z')
})

test.for(['never', '1970-01-01T00:00:00.000Z'])('shows a dash for an unknown time: %s', (at) => {
  renderUi(
    <p>
      at <Time at={at} />
    </p>,
  )
  expect(screen.getByText('at –')).toBeTruthy()
})
