import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { schemes } from './schemes/schemes'

/*
 * The browser tests measure contrast in light mode only, and in the gate only on some pages. This spec computes the
 * contrast of every text and background pair from the style sheets, in light and dark mode and in each scheme, so that
 * no page has to be opened in dark mode.
 */

const sources = path.join(import.meta.dirname, '..')
type Mode = 'light' | 'dark'
/** Red, green, blue and alpha, each from 0 to 1. */
type Colour = readonly [number, number, number, number]

interface Rule {
  place: string
  declarations: Readonly<Record<string, string>>
}

/** All rules in a style sheet, including nested ones and those in at-rules. */
function rulesOf(file: string): Rule[] {
  const css = readFileSync(path.join(sources, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
  const found: Rule[] = []
  const open: { selector: string; text: string }[] = []
  let text = ''
  for (const character of css) {
    if (character === '{') {
      open.push({ selector: text.trim(), text: '' })
      text = ''
    } else if (character === '}') {
      const { selector, text: before } = open.pop()!
      const declarations = Object.fromEntries(
        `${before}${text}`
          .split(';')
          .filter((it) => it.includes(':'))
          .map((it) => [it.slice(0, it.indexOf(':')).trim(), it.slice(it.indexOf(':') + 1).trim()]),
      )
      found.push({ place: `${file} ${selector.replaceAll(/\s+/g, ' ')}`, declarations })
      text = ''
    } else if (character === ';' && open.length > 0) {
      open.at(-1)!.text += `${text};`
      text = ''
    } else text += character
  }
  return found
}

const rules = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.css'))
  .toSorted()
  .flatMap(rulesOf)
const tokens = rules.find(({ place }) => place === 'themes/tokens.css :root')!.declarations

/** Splits the arguments of a CSS function, ignoring nested commas. */
function argumentsOf(call: string): string[] {
  const found = ['']
  let depth = 0
  for (const character of call.slice(call.indexOf('(') + 1, -1)) {
    if (character === ',' && depth === 0) found.push('')
    else found[found.length - 1] += character
    depth += character === '(' ? 1 : character === ')' ? -1 : 0
  }
  return found.map((it) => it.trim())
}

type Three = [number, number, number]
const multiply = (matrix: readonly Three[], [a, b, c]: Three) =>
  matrix.map(([x, y, z]) => x * a + y * b + z * c) as Three
const toLinear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
const fromLinear = (part: number) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055)

/** Converts a color to Oklab, see https://bottosson.github.io/posts/oklab, as in CSS Color 4. */
const toOklab = (colour: Three): Three =>
  multiply(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    multiply(
      [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
      ],
      colour.map(toLinear) as Three,
    ).map(Math.cbrt) as Three,
  )
const fromOklab = (colour: Three): Three =>
  multiply(
    [
      [4.0767416621, -3.3077115913, 0.2309699292],
      [-1.2684380046, 2.6097574011, -0.3413193965],
      [-0.0041960863, -0.7034186147, 1.707614701],
    ],
    multiply(
      [
        [1, 0.3963377774, 0.2158037573],
        [1, -0.1055613458, -0.0638541728],
        [1, -0.0894841775, -1.291485548],
      ],
      colour,
    ).map((part) => part ** 3) as Three,
  ).map((part) => Math.min(1, Math.max(0, fromLinear(part)))) as Three

function mix(call: string, colourOf: (value: string) => Colour): Colour {
  const [space = '', ...parts] = argumentsOf(call)
  const [one, other] = parts.map((part) => {
    const [, value = part, percent] = /^(.*?)(?:\s+([\d.]+)%)?$/s.exec(part) ?? []
    return { colour: colourOf(value), share: percent === undefined ? undefined : Number(percent) / 100 }
  })
  const share = one!.share ?? 1 - (other!.share ?? 0.5)
  const [from, to]: [Colour, Colour] = [one!.colour, other!.colour]
  const opacity = from[3] * share + to[3] * (1 - share)
  const [into, out] = space === 'in oklab' ? [toOklab, fromOklab] : [(it: Three) => it, (it: Three) => it]
  const [a, b] = [into([from[0], from[1], from[2]]), into([to[0], to[1], to[2]])]
  // colors are weighted by opacity (premultiplied alpha)
  const mixed = a.map((it, at) => (it * from[3] * share + b[at]! * to[3] * (1 - share)) / (opacity || 1)) as Three
  return [...out(mixed), opacity]
}

/** Resolves a CSS value to a color, in the given mode and with the given custom properties. */
function resolve(value: string, mode: Mode, properties: Readonly<Record<string, string>>): Colour {
  const colourOf = (it: string) => resolve(it, mode, properties)
  if (value === 'transparent') return [0, 0, 0, 0]
  if (value === 'white') return [1, 1, 1, 1]
  if (value.startsWith('var(')) return colourOf(properties[argumentsOf(value)[0]!] ?? `nothing named ${value}`)
  if (value.startsWith('light-dark(')) return colourOf(argumentsOf(value)[mode === 'light' ? 0 : 1]!)
  if (value.startsWith('color-mix(')) return mix(value, colourOf)
  const hex = /^#(..)(..)(..)$/.exec(value)
  if (hex) return [...(hex.slice(1).map((it) => Number.parseInt(it, 16) / 255) as Three), 1]
  const rgb = /^rgb\((\d+) (\d+) (\d+) \/ ([\d.]+)\)$/.exec(value)
  if (rgb) return [...(rgb.slice(1, 4).map((it) => Number(it) / 255) as Three), Number(rgb[4])]
  throw new Error(`no colour: ${value}`)
}

/** Blends a color over an opaque one. */
const over = (top: Colour, ground: Colour): Colour => [
  ...([0, 1, 2].map((at) => top[at]! * top[3] + ground[at]! * (1 - top[3])) as Three),
  1,
]

/** Returns the contrast ratio, see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(text: Colour, ground: Colour): number {
  const [dark = 0, light = 0] = [over(text, ground), ground]
    .map(([red, green, blue]) => 0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue))
    .sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const palettes = schemes.flatMap(({ id, ...colours }) => {
  const ofScheme = Object.fromEntries(Object.entries(colours).map(([name, colour]) => [`--scheme-${name}`, colour]))
  return (['light', 'dark'] as const).map((mode) => ({ id, mode, properties: { ...tokens, ...ofScheme } }))
})

interface Pair {
  /** File and selector that use the pair. */
  place: string
  text: string
  /** Backgrounds from the page upwards; translucent ones are blended with the ones before them. */
  grounds: readonly string[]
  /** Custom properties that the element sets. */
  own?: Readonly<Record<string, string>>
  least?: number
  /** Set for elements that are dark in both modes. */
  only?: Mode
}

/** Describes each pair whose contrast is too low. */
const unreadable = (pairs: readonly Pair[]): string[] =>
  pairs.flatMap(({ place, text, grounds, own, least = 4.5, only }) => {
    const failures = palettes.flatMap(({ id, mode, properties }) => {
      if (only !== undefined && mode !== only) return []
      const colourOf = (value: string) => resolve(value, mode, { ...properties, ...own })
      const page: Colour = [1, 1, 1, 1]
      const ground = grounds.reduce((below, it) => over(colourOf(it), below), page)
      const found = contrast(colourOf(text), ground)
      return found < least ? [`${mode} ${id} ${found.toFixed(2)}`] : []
    })
    return failures.length > 0 ? [`${place}: ${text} on ${grounds.join(' + ')}: ${failures.join(', ')}`] : []
  })

/** Elements exempt from the contrast rule: disabled ones, and the check mark of a checkbox. */
const isExempt = /disabled|\.barred|Checkbox.module.css/
const backgroundOf = ({ declarations }: Rule) => declarations['background'] ?? declarations['background-color']
const isGround = (background: string | undefined): background is string =>
  background !== undefined && !/^(none|transparent|inherit)$|gradient|url\(/.test(background)

const token = (name: string) => `var(${name})`
const surfaces = ['--surface', '--surface-sunken', '--surface-raised'].map((it) => [token(it)])
/**
 * All backgrounds on which text can appear: each surface, alone and with the layers for hovered, selected, pressed and
 * changed rows.
 */
const everywhere = surfaces.flatMap((surface) => {
  const layers = ['--surface-hover', '--accent-tint']
  // pressed and changed rows occur only in lists and menus, which are never on the sunken surface
  if (!surface.includes('var(--surface-sunken)')) layers.push('--surface-press', '--changed')
  return [surface, ...layers.map((layer) => [...surface, token(layer)])]
})
/** Colors of text and links in a banner. */
const isPlain = /--(text|text-dim|accent|accent-hover)\)/
const tones = ['--ok', '--warn', '--bad', '--busy', '--idle']
const tinted = tones.map((tone) => [token(`${tone}-tint`)])

/** Text colors that occur only on specific backgrounds. */
const groundsOf: Readonly<Record<string, readonly string[]>> = {
  '--on-header': ['--header'],
  '--on-header-dim': ['--header'],
  '--on-accent': ['--accent', '--accent-hover', '--accent-press'],
  '--text-inverse': ['--surface-inverse', '--bad', '--bad-hover', '--bad-press'],
}
/** Colors of chart lines and icons, which need a contrast of only 3:1. */
const isGraphic = (text: string) => /--series-\d|--tone/.test(text)

test('text has enough contrast in every rule that also sets a background, in both modes and all schemes', () => {
  const pairs = rules.flatMap((rule): Pair[] => {
    const { place, declarations } = rule
    const [text, ground] = [declarations['color'], backgroundOf(rule)]
    if (text === undefined || /inherit|currentcolor/i.test(text) || !isGround(ground) || isExempt.test(place)) return []
    const isDark = declarations['color-scheme'] === 'dark'
    const owns = ground.includes('--tone')
      ? tones.map((tone) => ({ '--tone': token(tone), '--tone-tint': token(`${tone}-tint`) }))
      : [{}]
    return owns.flatMap((own) =>
      surfaces.map((below) => ({
        place,
        text,
        grounds: [...below, ground],
        own,
        ...(isDark && { only: 'dark' as const }),
      })),
    )
  })
  expect(pairs.length).toBeGreaterThan(100)
  expect(unreadable(pairs)).toEqual([])
})

test('every other text color has enough contrast on all of its backgrounds, in both modes and all schemes', () => {
  const texts = new Map<string, string>()
  for (const rule of rules) {
    const { color } = rule.declarations
    if (color && !isGround(backgroundOf(rule)) && !isExempt.test(rule.place) && /var\(|#/.test(color))
      texts.set(color, rule.place)
  }
  // colors of links, errors, warnings and secondary text
  for (const name of ['--text', '--text-dim', '--accent', '--bad', '--warn', '--ok'])
    expect([...texts.keys()]).toContain(token(name))
  for (const tone of tones) texts.set(token(tone), `a badge in ${tone}`)
  const pairs = [...texts].flatMap(([text, place]): Pair[] => {
    if (isGraphic(text)) return []
    const own = groundsOf[/--[\w-]+/.exec(text)?.[0] ?? '']
    const grounds = own?.map((it) => [token(it)]) ?? (isPlain.test(text) ? [...everywhere, ...tinted] : everywhere)
    return grounds.map((it) => ({ place, text, grounds: it }))
  })
  expect(unreadable(pairs)).toEqual([])
})
