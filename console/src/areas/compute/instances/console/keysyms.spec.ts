import { expect, test } from 'vitest'
import { layouts, type LayoutId } from './keyboard-layouts'
import { keysymOf, textToPresses, untypable } from './keysyms'

const shown = (text: string, layout: LayoutId = 'us') =>
  textToPresses(text, layout).map(
    ({ code, isShifted, isAltGr }) => `${isShifted ? 'Shift+' : ''}${isAltGr ? 'AltGr+' : ''}${code}`,
  )

test('small letters are plain, capitals and symbols are typed with Shift', () => {
  expect(shown('aA1!')).toEqual(['KeyA', 'Shift+KeyA', 'Digit1', 'Shift+Digit1'])
  expect(shown('|~"')).toEqual(['Shift+Backslash', 'Shift+Backquote', 'Shift+Quote'])
})

test('the keysym is the character itself, so that a guest that reads meanings is right too', () => {
  expect(textToPresses('A#', 'us').map(({ keysym }) => keysym)).toEqual([0x41, 0x23])
  expect(keysymOf('€'.codePointAt(0) ?? 0)).toBe(0x010020ac)
  expect(keysymOf('ä'.codePointAt(0) ?? 0)).toBe(0xe4)
})

test('the same character is on another key of another keyboard', () => {
  expect(shown('z/y')).toEqual(['KeyZ', 'Slash', 'KeyY'])
  expect(shown('z/y', 'de')).toEqual(['KeyY', 'Shift+Digit7', 'KeyZ'])
  expect(shown('@{}\\', 'de')).toEqual(['AltGr+KeyQ', 'AltGr+Digit7', 'AltGr+Digit0', 'AltGr+Minus'])
  expect(shown('a1', 'fr')).toEqual(['KeyQ', 'Shift+Digit1'])
})

test('line ends of every kind are Enter, a tab is Tab', () => {
  expect(shown('a\r\nb\rc\n\t')).toEqual(['KeyA', 'Enter', 'KeyB', 'Enter', 'KeyC', 'Enter', 'Tab'])
})

test('what a keyboard lacks is told, once, and goes by its meaning', () => {
  expect(untypable('öaö€\n', 'us')).toEqual(['ö', '€'])
  expect(untypable('öaö€\n', 'de')).toEqual([])
  expect(textToPresses('ö', 'us')).toEqual([{ keysym: 0xf6, code: null, isShifted: false, isAltGr: false }])
})

test.each(Object.keys(layouts) as LayoutId[])(
  'the keyboard %s has all letters and digits, each at a place of its own',
  (id) => {
    const { characters } = layouts[id]
    for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_/.,:;')
      expect(characters.has(character), character).toBe(true)
    const places = [...characters.values()].map(({ code, level }) => `${code} ${level}`)
    expect(new Set(places).size).toBe(places.length)
  },
)
