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

test('a component has texts and numbers in the present language, and follows it', async () => {
  render(<Said />)
  expect(screen.getByText('Retry 1,234.5')).toBeTruthy()
  await act(() => setLanguage('en-XA'))
  expect(screen.getByText(/^\[Ŕéţŕý ~+\] 1,234\.5$/)).toBeTruthy()
})

test('what a language lacks is shown in English, with its own numbers', async () => {
  render(<Said />)
  await act(() => setLanguage('tr'))
  expect(screen.getByText(/1\.234,5$/)).toBeTruthy()
})

test('texts are also there for code that is no component', () => {
  expect(textsNow('common')('ui.remove', { name: 'web' })).toBe('Remove web')
})

test('a key that no catalogue has is told while developing', () => {
  expect(() => textsNow('common')('no.such' as never)).toThrow('no.such')
})
