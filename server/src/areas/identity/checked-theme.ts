import { says, type RuleText } from '@mainstay/contract/core/said'
import { KiB } from '@mainstay/contract/core/bytes'
import { problemOf, ruleIn } from '@mainstay/contract/core/problems'
import { Theme, themePictures, type ThemePicture } from '@mainstay/contract/identity/themes'
import { defaultRule } from '@mainstay/contract/core/default-rules'
import { BadXml, parseXml, textOf } from '../../federation/saml/xml'

const SVG = 'http://www.w3.org/2000/svg'
const XHTML = 'http://www.w3.org/1999/xhtml'

/** Elements for drawing only: no scripts, links or embedded documents. */
const drawing = new Set(
  (
    'svg g defs symbol use title desc metadata path rect circle ellipse line polyline polygon text tspan textPath style ' +
    'linearGradient radialGradient stop pattern clipPath mask marker filter feBlend feColorMatrix feComposite feFlood ' +
    'feGaussianBlur feMerge feMergeNode feOffset feDropShadow feMorphology feComponentTransfer feFuncR feFuncG feFuncB feFuncA'
  ).split(' '),
)
/** Matches styles that refer to anything outside the picture. */
const leadsElsewhere = /url\(\s*["']?(?!#)|@import|\\/i

/**
 * Returns why an SVG is refused because it contains more than a drawing, or null if it is accepted. Throws `BadXml`.
 */
function faultOfSvg(bytes: Uint8Array): RuleText | null {
  const root = parseXml(textOf(bytes), { comments: 'allowed' })
  if (root.localName !== 'svg' || root.namespaceURI !== SVG) return says('identity.not_an_svg')
  for (const element of [root, ...Array.from(root.getElementsByTagName('*'))]) {
    const { localName: name, namespaceURI } = element
    if (namespaceURI === XHTML || (namespaceURI === SVG && !drawing.has(name)))
      return says('identity.svg_element', { element: name.slice(0, 40) })
    if (name === 'style' && leadsElsewhere.test(element.textContent ?? '')) return says('identity.svg_styles')
    for (const { localName, value } of Array.from(element.attributes)) {
      if (/^on/i.test(localName)) return says('identity.svg_script', { attribute: localName.slice(0, 40) })
      if (localName === 'href' && !/^(#|data:image\/(png|jpeg);)/.test(value.trim())) return says('identity.svg_link')
      if (leadsElsewhere.test(value)) return says('identity.svg_attribute', { attribute: localName.slice(0, 40) })
    }
  }
  return null
}

const beginsWith = (bytes: Uint8Array, ...begin: number[]) => begin.every((byte, at) => bytes[at] === byte)

/** Returns why a picture of this type is refused, or null if it is accepted. */
function faultOfPicture(type: string, bytes: Uint8Array): RuleText | null {
  if (type === 'image/png') return beginsWith(bytes, 0x89, 0x50, 0x4e, 0x47) ? null : says('identity.not_a_png')
  if (type === 'image/x-icon') return beginsWith(bytes, 0, 0, 1, 0) ? null : says('identity.not_an_icon')
  try {
    return faultOfSvg(bytes)
  } catch (error) {
    if (error instanceof BadXml) return says('identity.svg_unreadable', { reason: error.message })
    throw error
  }
}

function faultOf(name: ThemePicture, address: string): RuleText | null {
  const [, type = '', base64 = ''] = /^data:([^;]+);base64,(.*)$/.exec(address) ?? []
  const bytes = Buffer.from(base64, 'base64')
  const most = themePictures[name].bytes
  return bytes.length > most ? says('identity.picture_too_large', { most: most / KiB }) : faultOfPicture(type, bytes)
}

/** Validates a theme, including its pictures, before it is stored. Throws a `validation` error on the invalid field. */
export function checkedTheme(data: unknown): Theme {
  const parsed = Theme.safeParse(data, { error: defaultRule })
  if (!parsed.success) {
    const { path } = parsed.error.issues[0]!
    throw problemOf(ruleIn(parsed.error), { field: ['data', ...path].join('.') })
  }
  for (const name of Object.keys(themePictures) as ThemePicture[]) {
    const address = parsed.data[name]
    const fault = address === undefined ? null : faultOf(name, address)
    if (fault) throw problemOf(fault, { field: `data.${name}` })
  }
  return parsed.data
}
