import { DOMParser } from '@xmldom/xmldom'

/*
 * XML from providers. It is untrusted until its signature is verified: constructs that never occur in SAML documents
 * are refused before parsing, and the size, the depth and the number of tags are limited.
 */

/** Maximum size of a document in bytes. */
export const MOST_XML = 256 * 1024
const MOST_TAGS = 10_000
const MOST_IN_TAG = 16 * 1024
const MOST_DEPTH = 64

/** XML that is invalid or contains constructs that no provider needs. The message is for administrators. */
export class BadXml extends Error {}

export const namespaces = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const
export type Namespace = keyof typeof namespaces

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes a document. Throws `BadXml` if it exceeds `MOST_XML` or is not UTF-8. */
export function textOf(bytes: Uint8Array): string {
  if (bytes.length > MOST_XML) throw new BadXml(`The XML has more than ${MOST_XML / 1024} kB`)
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw new BadXml('The XML is not UTF-8', { cause: error })
  }
}

/**
 * Whether comments are allowed, and the maximum number of tags and of namespace declarations, `MOST_TAGS` by default.
 */
interface Allowed {
  comments: 'refused' | 'allowed'
  tags?: number
}

function refuseWhatNobodySends(text: string, { comments, tags = MOST_TAGS }: Allowed): void {
  if (text.length > MOST_XML) throw new BadXml(`The XML has more than ${MOST_XML / 1024} kB`)
  // a document type can define entities that expand or refer to other files
  if (/<!(?!--|\[CDATA\[)/.test(text)) throw new BadXml('The XML has a document type, which is not allowed')
  if (/<\?(?!xml\s)/i.test(text)) throw new BadXml('The XML has processing instructions')
  // a comment can split a name in two, and a signature does not cover it
  if (comments === 'refused' && text.includes('<!--')) throw new BadXml('The XML has comments')
  if (text.split('<', tags + 1).length > tags) throw new BadXml(`The XML has more than ${tags} tags`)
  // each declaration is compared with all those of its ancestors before the signature is checked
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

/** Returns the child elements of an element. */
export const elementsIn = (parent: Element): Element[] =>
  Array.from(parent.childNodes).filter((it): it is Element => it.nodeType === 1)

/** Child elements with this name. */
export const named = (parent: Element, namespace: Namespace, name: string): Element[] =>
  elementsIn(parent).filter((it) => is(it, namespace, name))

export const is = (element: Element, namespace: Namespace, name: string): boolean =>
  element.localName === name && element.namespaceURI === namespaces[namespace]

/** Number of elements with this name in the document, at any depth. */
export const countOf = (root: Element, namespace: Namespace, name: string): number =>
  root.getElementsByTagNameNS(namespaces[namespace], name).length + (is(root, namespace, name) ? 1 : 0)

/** Value of an attribute; null if it is missing. */
export const attribute = (element: Element, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null

export const contentOf = (element: Element | undefined): string => (element?.textContent ?? '').trim()

/** Parses a document and returns its root element. Throws `BadXml`. */
export function parseXml(text: string, allowed: Allowed): Element {
  refuseWhatNobodySends(text, allowed)
  const fault = () => {
    throw new BadXml('The XML is not well-formed')
  }
  const parser = new DOMParser({ errorHandler: { warning: fault, error: fault, fatalError: fault } })
  const root = parser.parseFromString(text, 'text/xml')?.documentElement
  if (!root) throw new BadXml('The XML is empty')
  refuseDepth(root)
  return root
}
