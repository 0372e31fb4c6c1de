/** The root of an XML document; null where it is none. */
export function parseXml(text: string): Element | null {
  if (text.trim() === '') return null
  const root = new DOMParser().parseFromString(text, 'application/xml').documentElement
  // a fault of the parser is told as an element: the root itself, or somewhere within it
  return root.getElementsByTagName('parsererror').length > 0 || root.nodeName === 'parsererror' ? null : root
}

/** Children of this name. */
export const childrenOf = (element: Element | null, name: string): Element[] =>
  [...(element?.children ?? [])].filter(({ localName }) => localName === name)

/** The text of the first child of this name; '' where there is none. */
export const textOf = (element: Element | null, name: string): string => childrenOf(element, name)[0]?.textContent ?? ''

/** A key of a list: they come percent-encoded, because XML cannot carry all of them. */
export const decodedKey = (text: string): string => decodeURIComponent(text.replaceAll('+', '%20'))
