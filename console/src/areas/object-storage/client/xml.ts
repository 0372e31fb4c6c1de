/** Parses an XML document and returns its root element; null if the text is not well-formed. */
export function parseXml(text: string): Element | null {
  if (text.trim() === '') return null
  const root = new DOMParser().parseFromString(text, 'application/xml').documentElement
  // parsers report errors as an element, either as the root or inside it
  return root.getElementsByTagName('parsererror').length > 0 || root.nodeName === 'parsererror' ? null : root
}

/** Child elements with this name. */
export const childrenOf = (element: Element | null, name: string): Element[] =>
  [...(element?.children ?? [])].filter(({ localName }) => localName === name)

/** The text of the first child with this name, or an empty string. */
export const textOf = (element: Element | null, name: string): string => childrenOf(element, name)[0]?.textContent ?? ''

/** Decodes a key from a list response. Keys are percent-encoded because XML cannot represent every character. */
export const decodedKey = (text: string): string => decodeURIComponent(text.replaceAll('+', '%20'))
