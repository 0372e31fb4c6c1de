import { beforeEach, expect, test } from 'vitest'
import { looksKey, readLooks, showLooks, writeLooks } from './theme-storage'

beforeEach(() => localStorage.clear())

test('stores and reads the theme settings', () => {
  writeLooks({ mode: 'dark', density: 'comfortable', brand: 'acronis', scheme: 'teal' })
  expect(readLooks()).toEqual({ mode: 'dark', density: 'comfortable', brand: 'acronis', scheme: 'teal' })
})

test.each(['', 'null', '{', '[]', '{"mode":"blue","scheme":"\\"] {}","brand":7}'])(
  'falls back to the defaults if the storage contains %j',
  (kept) => {
    localStorage.setItem(looksKey, kept)
    expect(readLooks()).toEqual({ mode: 'system', density: 'compact', brand: null, scheme: null })
  },
)

test('sets the theme attributes on the root element and removes unset ones', () => {
  const root = document.createElement('html')
  showLooks({ mode: 'dark', density: 'compact', brand: 'virtuozzo', scheme: 'plum' }, root)
  expect({ ...root.dataset }).toEqual({ theme: 'dark', density: 'compact', brand: 'virtuozzo', scheme: 'plum' })
  showLooks({ mode: 'system', density: 'compact', brand: null, scheme: null }, root)
  expect({ ...root.dataset }).toEqual({ theme: 'system', density: 'compact' })
})
