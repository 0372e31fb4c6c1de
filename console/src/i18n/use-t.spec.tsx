import { act, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { setLanguage } from './language'
import { useFormat } from './use-format'
import { textsNow, useT } from './use-t'

function Said() {
  const t = useT('common')
  const format = useFormat()
  return <p>{`${t('ui.retry')} ${format.number(1234.5)}`}</p>
}

afterEach(() => act(() => setLanguage('en')))

test('updates strings and numbers when the language changes', async () => {
  render(<Said />)
  expect(screen.getByText('Retry 1,234.5')).toBeTruthy()
  await act(() => setLanguage('en-XA'))
  expect(screen.getByText(/^\[Ŕéţŕý ~+\] 1,234\.5$/)).toBeTruthy()
})

test('falls back to English strings, with the number format for the selected language', async () => {
  render(<Said />)
  await act(() => setLanguage('tr'))
  expect(screen.getByText(/1\.234,5$/)).toBeTruthy()
})

test('provides strings outside components', () => {
  expect(textsNow('common')('ui.remove', { name: 'web' })).toBe('Remove web')
})

test('throws on an unknown key in development', () => {
  expect(() => textsNow('common')('no.such' as never)).toThrow('no.such')
})
