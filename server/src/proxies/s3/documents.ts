import { DOMParser } from '@xmldom/xmldom'

/* Documents of S3, as the server reads and writes them. */

export const childrenOf = (element: Element | null, name: string): Element[] =>
  Array.from(element?.childNodes ?? []).filter((it): it is Element => (it as Element).localName === name)
export const textOf = (element: Element | null, name: string): string => childrenOf(element, name)[0]?.textContent ?? ''

/** The root of a document; null where it cannot be read. */
export function rootOf(xml: string): Element | null {
  try {
    return new DOMParser({ errorHandler: () => undefined }).parseFromString(xml, 'text/xml').documentElement
  } catch {
    return null
  }
}
