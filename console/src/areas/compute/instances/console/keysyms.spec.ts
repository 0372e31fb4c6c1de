import { expect, test } from 'vitest'
import { layouts, type LayoutId } from './keyboard-layouts'
import { keysymOf, textToPresses, untypable } from './keysyms'

const shown = (text: string, layout: LayoutId = 'us') =>
  textToPresses(text, layout).map(
    ({ code, isShifted, isAltGr }) => `${isShifted ? 'Shift+' : ''}${isAltGr ? 'AltGr+' : ''}${code}`,
  )

test('types lower-case letters without Shift, and capitals and symbols with it', () => {
  expect(shown('aA1!')).toEqual(['KeyA', 'Shift+KeyA', 'Digit1', 'Shift+Digit1'])
  expect(shown('|~"')).toEqual(['Shift+Backslash', 'Shift+Backquote', 'Shift+Quote'])
})

test("sends the character's keysym, for guests that ignore key codes", () => {
  expect(textToPresses('A#', 'us').map(({ keysym }) => keysym)).toEqual([0x41, 0x23])
  expect(keysymOf('€'.codePointAt(0) ?? 0)).toBe(0x010020ac)
  expect(keysymOf('ä'.codePointAt(0) ?? 0)).toBe(0xe4)
})

test('presses different keys for the same character on different layouts', () => {
  expect(shown('z/y')).toEqual(['KeyZ', 'Slash', 'KeyY'])
  expect(shown('z/y', 'de')).toEqual(['KeyY', 'Shift+Digit7', 'KeyZ'])
  expect(shown('@{}\\', 'de')).toEqual(['AltGr+KeyQ', 'AltGr+Digit7', 'AltGr+Digit0', 'AltGr+Minus'])
  expect(shown('a1', 'fr')).toEqual(['KeyQ', 'Shift+Digit1'])
})

test('maps every kind of line break to Enter, and a tab character to Tab', () => {
  expect(shown('a\r\nb\rc\n\t')).toEqual(['KeyA', 'Enter', 'KeyB', 'Enter', 'KeyC', 'Enter', 'Tab'])
})

test('lists each character missing from the layout once, and sends it by keysym only', () => {
  expect(untypable('öaö€\n', 'us')).toEqual(['ö', '€'])
  expect(untypable('öaö€\n', 'de')).toEqual([])
  expect(textToPresses('ö', 'us')).toEqual([{ keysym: 0xf6, code: null, isShifted: false, isAltGr: false }])
})

test.each(Object.keys(layouts) as LayoutId[])(
  'layout %s maps every letter and digit to a distinct key and level',
  (id) => {
    const { characters } = layouts[id]
    for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_/.,:;')
      expect(characters.has(character), character).toBe(true)
    const places = [...characters.values()].map(({ code, level }) => `${code} ${level}`)
    expect(new Set(places).size).toBe(places.length)
  },
)
