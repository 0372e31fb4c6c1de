/**
 * Lets code work that writes `<style>` elements and style attributes into the page, which our policy forbids
 * (`style-src 'self'`). Until the answered function is called, elements are made so that the same rules and properties
 * go by the ways that are open to scripts.
 */
export function allowInlineStyles(): () => void {
  const sheets: CSSStyleSheet[] = []
  // oxlint-disable-next-line typescript/no-deprecated -- as called, it is only for a few elements of old
  const make = (name: string): HTMLElement => Document.prototype.createElement.call(document, name)

  function styleElement(): HTMLElement {
    const sheet = new CSSStyleSheet()
    sheets.push(sheet)
    document.adoptedStyleSheets.push(sheet)
    // even an empty style element is complained of; what its writer holds on to only has to be an element
    return Object.defineProperty(make('template'), 'textContent', {
      get: () => '',
      set(rules: string) {
        sheet.replaceSync(rules)
      },
    })
  }

  function plainElement(name: string): HTMLElement {
    const element = make(name)
    const setAttribute = element.setAttribute.bind(element)
    element.setAttribute = (attribute, value) => {
      if (attribute === 'style') element.style.cssText = value
      else setAttribute(attribute, value)
    }
    return element
  }

  // in front of the document's own method
  Object.defineProperty(document, 'createElement', {
    value: (name: string) => (name === 'style' ? styleElement() : plainElement(name)),
    configurable: true,
  })
  return () => {
    Reflect.deleteProperty(document, 'createElement')
    const { adoptedStyleSheets } = document
    for (const sheet of sheets) adoptedStyleSheets.splice(adoptedStyleSheets.indexOf(sheet), 1)
  }
}
