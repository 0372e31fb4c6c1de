import { readFileSync } from 'node:fs'
import path from 'node:path'
import { colorSchemes } from '@mainstay/contract/identity/color-schemes'
import { expect, test } from 'vitest'
import { brands } from '../brands/brands'

import { schemes } from './schemes'

const css = readFileSync(path.join(import.meta.dirname, 'schemes.css'), 'utf8')

const luminance = (hex: string) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: string, other: string) => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

test('has fifteen color schemes [CO-005]', () => {
  expect(schemes).toHaveLength(15)
  expect(schemes.map(({ id }) => id)).toEqual(colorSchemes)
})

test('has exactly two brand themes, each with a default scheme [CO-004]', () => {
  expect(Object.values(brands).map(({ id, scheme }) => [id, scheme])).toEqual([
    ['virtuozzo', 'crimson'],
    ['acronis', 'azure'],
  ])
})

test.each(schemes)(
  'the colors of $id have enough contrast in all their uses',
  ({ primary, hover, active, header, tint, dark }) => {
    for (const background of [primary, hover, active, header]) {
      expect(contrast('#ffffff', background)).toBeGreaterThanOrEqual(4.5)
    }
    expect(contrast(primary, tint)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(dark, '#1d232c')).toBeGreaterThanOrEqual(4.5) // links on raised surfaces
    expect(contrast(dark, '#10151b')).toBeGreaterThanOrEqual(4.5) // text on a primary button
  },
)

test.each(schemes)('the style sheet defines the same colors for $id', ({ id, ...colours }) => {
  const block = css.slice(css.indexOf(`[data-scheme='${id}']`)).split('}')[0]
  for (const [name, colour] of Object.entries(colours)) expect(block).toContain(`--scheme-${name}: ${colour};`)
})
