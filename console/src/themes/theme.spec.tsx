import { act, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { setBranding, setThemeMode, useTheme } from './theme'

function Said() {
  const { shown, brand, scheme } = useTheme()
  return <p>{`${shown} ${brand} ${scheme}`}</p>
}

test('applies a theme change without a reload', () => {
  render(<Said />)
  expect(screen.getByText('light acronis azure')).toBeTruthy()
  act(() => setThemeMode('dark'))
  expect(screen.getByText('dark acronis azure')).toBeTruthy()
  expect(document.documentElement.dataset['theme']).toBe('dark')
})

test('uses the brand’s scheme unless the domain sets one', () => {
  render(<Said />)
  act(() => setBranding({ brand: 'virtuozzo' }))
  expect(screen.getByText('dark virtuozzo crimson')).toBeTruthy()
  act(() => setBranding({ brand: 'virtuozzo', scheme: 'teal' }))
  expect(screen.getByText('dark virtuozzo teal')).toBeTruthy()
})

test('ignores an unknown scheme or brand', () => {
  render(<Said />)
  act(() => setBranding({ brand: 'other', scheme: 'neon' }))
  expect(screen.getByText('dark acronis azure')).toBeTruthy()
  expect(document.documentElement.dataset['scheme']).toBeUndefined()
})
