import { DOMParser } from '@xmldom/xmldom'

/*
 * XML of providers. It is hostile until a signature says otherwise: what a SAML document never has is refused before it is parsed, and
 * what is left is bounded by its size, its depth and its number of tags.
 */

/** The longest document, bytes. */
export const MOST_XML = 256 * 1024
const MOST_TAGS = 10_000
const MOST_IN_TAG = 16 * 1024
const MOST_DEPTH = 64

/** XML that is none, or that no provider has a reason to send. The message says it to an administrator. */
export class BadXml extends Error {}

export const namespaces = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const
export type Namespace = keyof typeof namespaces

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The text of a document. Throws `BadXml` for more than `MOST_XML`, and for what is no UTF-8. */
export function textOf(bytes: Uint8Array): string {
  if (bytes.length > MOST_XML) throw new BadXml(`The XML has more than ${MOST_XML / 1024} kB`)
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw new BadXml('The XML is not UTF-8', { cause: error })
  }
}

/** What is allowed in a document beside its elements, and its number of tags and of namespace declarations: `MOST_TAGS` without another one. */
interface Allowed {
  comments: 'refused' | 'allowed'
  tags?: number
}

function refuseWhatNobodySends(text: string, { comments, tags = MOST_TAGS }: Allowed): void {
  if (text.length > MOST_XML) throw new BadXml(`The XML has more than ${MOST_XML / 1024} kB`)
  // a document type can define entities that grow, or that are read from elsewhere
  if (/<!(?!--|\[CDATA\[)/.test(text)) throw new BadXml('The XML has a document type: none is read')
  if (/<\?(?!xml\s)/i.test(text)) throw new BadXml('The XML has processing instructions')
  // a comment can cut a name in two, and a signature does not cover it
  if (comments === 'refused' && text.includes('<!--')) throw new BadXml('The XML has comments')
  if (text.split('<', tags + 1).length > tags) throw new BadXml(`The XML has more than ${tags} tags`)
  // each is compared with all others of its ancestors before a signature is checked
  if (text.split('xmlns', tags + 1).length > tags)
    throw new BadXml(`The XML has more than ${tags} namespace declarations`)
  if (new RegExp(`<[^<>]{${MOST_IN_TAG}}`).test(text)) throw new BadXml(`A tag has more than ${MOST_IN_TAG} characters`)
}

function refuseDepth(root: Element): void {
  let level = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_DEPTH) throw new BadXml(`The XML is more than ${MOST_DEPTH} elements deep`)
    level = level.flatMap(elementsIn)
  }
}

/** Elements directly in another one. */
export const elementsIn = (parent: Element): Element[] =>
  Array.from(parent.childNodes).filter((it): it is Element => it.nodeType === 1)

/** Those of a name directly in another one. */
export const named = (parent: Element, namespace: Namespace, name: string): Element[] =>
  elementsIn(parent).filter((it) => is(it, namespace, name))

export const is = (element: Element, namespace: Namespace, name: string): boolean =>
  element.localName === name && element.namespaceURI === namespaces[namespace]

/** How many of a name there are in a document, however deep. */
export const countOf = (root: Element, namespace: Namespace, name: string): number =>
  root.getElementsByTagNameNS(namespaces[namespace], name).length + (is(root, namespace, name) ? 1 : 0)

/** Null for an attribute that is not there. */
export const attribute = (element: Element, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null

export const contentOf = (element: Element | undefined): string => (element?.textContent ?? '').trim()

/** The outermost element of a document. Throws `BadXml`. */
export function parseXml(text: string, allowed: Allowed): Element {
  refuseWhatNobodySends(text, allowed)
  const fault = () => {
    throw new BadXml('The XML cannot be read: it is not well formed')
  }
  const parser = new DOMParser({ errorHandler: { warning: fault, error: fault, fatalError: fault } })
  const root = parser.parseFromString(text, 'text/xml')?.documentElement
  if (!root) throw new BadXml('The XML is empty')
  refuseDepth(root)
  return root
}
