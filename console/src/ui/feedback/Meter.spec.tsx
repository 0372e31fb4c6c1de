import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { Meter } from './Meter'

test('states the used and the remaining amount', () => {
  renderUi(<Meter label="vCPUs" used={12} limit={20} />)
  expect(screen.getByRole('meter', { name: 'vCPUs' }).getAttribute('aria-valuetext')).toBe('12 of 20, 8 left')
})

test('includes the amount that a form would add', () => {
  renderUi(<Meter label="vCPUs" used={12} added={4} limit={20} />)
  expect(screen.getByText('12 + 4 of 20')).toBeTruthy()
  expect(screen.getByText('4 left')).toBeTruthy()
  expect(screen.getByRole('meter').getAttribute('aria-valuenow')).toBe('16')
})

test('states by how much the limit is exceeded', () => {
  renderUi(<Meter label="Memory" used={60} added={16} limit={64} format={(value) => `${value} GiB`} />)
  expect(screen.getByText('12 GiB over the limit')).toBeTruthy()
})

test('is amber when nearly full and red when full, with an icon next to the text in both cases', () => {
  const levelOf = (used: number, added = 0, limit = 20) => {
    const { container, unmount } = renderUi(<Meter label="vCPUs" used={used} added={added} limit={limit} />)
    const found = ['near', 'full'].filter((level) => container.querySelector(`.${level}`))
    expect(container.querySelectorAll('svg')).toHaveLength(found.length)
    unmount()
    return found
  }
  expect([levelOf(0), levelOf(15), levelOf(0, 0, 0)]).toEqual([[], [], []])
  // a request that exactly reaches the limit is allowed
  expect([levelOf(16), levelOf(19), levelOf(12, 4), levelOf(12, 8)]).toEqual([['near'], ['near'], ['near'], ['near']])
  expect([levelOf(20), levelOf(21), levelOf(12, 9), levelOf(1, 0, 0)]).toEqual([['full'], ['full'], ['full'], ['full']])
})

test('shows no meter without a limit', () => {
  renderUi(<Meter label="Addresses" used={3} limit={null} />)
  expect(screen.getByText('3, no limit')).toBeTruthy()
  expect(screen.queryByRole('meter')).toBeNull()
})

test('treats a limit of 0 as full', () => {
  renderUi(<Meter label="Addresses" used={0} added={1} limit={0} />)
  expect(screen.getByText('1 over the limit')).toBeTruthy()
})

test('isolates text that starts with a number, so that the unit stays in place in right-to-left layout', () => {
  renderUi(<Meter label="Memory" used={12} limit={64} format={(value) => `${value} GiB`} />)
  for (const words of ['12 GiB of 64 GiB', '52 GiB left']) expect(screen.getByText(words).tagName).toBe('BDI')
})
