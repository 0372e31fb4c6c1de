import { KiB } from '@mainstay/contract/core/bytes'
import { badField } from '@mainstay/contract/core/problems'
import { Theme, themePictures, type ThemePicture } from '@mainstay/contract/identity/themes'
import { BadXml, parseXml, textOf } from '../../federation/saml/xml'

const SVG = 'http://www.w3.org/2000/svg'
const XHTML = 'http://www.w3.org/1999/xhtml'

/** What draws, and nothing that acts, leads elsewhere or holds another document. */
const drawing = new Set(
  (
    'svg g defs symbol use title desc metadata path rect circle ellipse line polyline polygon text tspan textPath style ' +
    'linearGradient radialGradient stop pattern clipPath mask marker filter feBlend feColorMatrix feComposite feFlood ' +
    'feGaussianBlur feMerge feMergeNode feOffset feDropShadow feMorphology feComponentTransfer feFuncR feFuncG feFuncB feFuncA'
  ).split(' '),
)
/** An address in a style that is not a part of the same picture. */
const leadsElsewhere = /url\(\s*["']?(?!#)|@import|\\/i

/** The fault of a drawing that could do more than be looked at; null where there is none. Throws `BadXml`. */
function faultOfSvg(bytes: Uint8Array): string | null {
  const root = parseXml(textOf(bytes), { comments: 'allowed' })
  if (root.localName !== 'svg' || root.namespaceURI !== SVG) return 'The picture is no SVG'
  for (const element of [root, ...Array.from(root.getElementsByTagName('*'))]) {
    const { localName: name, namespaceURI } = element
    if (namespaceURI === XHTML || (namespaceURI === SVG && !drawing.has(name)))
      return `The SVG has an element that a picture does not need: ${name.slice(0, 40)}`
    if (name === 'style' && leadsElsewhere.test(element.textContent ?? ''))
      return 'The styles of the SVG lead elsewhere'
    for (const { localName, value } of Array.from(element.attributes)) {
      if (/^on/i.test(localName)) return `The SVG has a script in an attribute: ${localName.slice(0, 40)}`
      if (localName === 'href' && !/^(#|data:image\/(png|jpeg);)/.test(value.trim())) return 'The SVG has a link'
      if (leadsElsewhere.test(value)) return `The SVG leads elsewhere, in an attribute: ${localName.slice(0, 40)}`
    }
  }
  return null
}

const beginsWith = (bytes: Uint8Array, ...begin: number[]) => begin.every((byte, at) => bytes[at] === byte)

/** What is wrong with the bytes of a picture of a type; null where nothing is. */
function faultOfPicture(type: string, bytes: Uint8Array): string | null {
  if (type === 'image/png') return beginsWith(bytes, 0x89, 0x50, 0x4e, 0x47) ? null : 'The picture is no PNG'
  if (type === 'image/x-icon') return beginsWith(bytes, 0, 0, 1, 0) ? null : 'The picture is no icon'
  try {
    return faultOfSvg(bytes)
  } catch (error) {
    if (error instanceof BadXml) return error.message
    throw error
  }
}

function faultOf(name: ThemePicture, address: string): string | null {
  const [, type = '', base64 = ''] = /^data:([^;]+);base64,(.*)$/.exec(address) ?? []
  const bytes = Buffer.from(base64, 'base64')
  const most = themePictures[name].bytes
  return bytes.length > most ? `Use a picture of at most ${most / KiB} KiB` : faultOfPicture(type, bytes)
}

/** A theme as it is kept. Throws `validation`, which names the field that is wrong; a picture that could act is refused. */
export function checkedTheme(data: unknown): Theme {
  const parsed = Theme.safeParse(data)
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    throw badField(['data', ...path].join('.'), message)
  }
  for (const name of Object.keys(themePictures) as ThemePicture[]) {
    const address = parsed.data[name]
    const fault = address === undefined ? null : faultOf(name, address)
    if (fault) throw badField(`data.${name}`, fault)
  }
  return parsed.data
}
