import { DOMParser } from '@xmldom/xmldom'

/* Reads and writes the XML documents of S3. */

export const childrenOf = (element: Element | null, name: string): Element[] =>
  Array.from(element?.childNodes ?? []).filter((it): it is Element => (it as Element).localName === name)
export const textOf = (element: Element | null, name: string): string => childrenOf(element, name)[0]?.textContent ?? ''

/** The root element of a document; null if the document cannot be parsed. */
export function rootOf(xml: string): Element | null {
  try {
    return new DOMParser({ errorHandler: () => undefined }).parseFromString(xml, 'text/xml').documentElement
  } catch {
    return null
  }
}
