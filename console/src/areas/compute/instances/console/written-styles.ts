/**
 * Makes code that writes `<style>` elements and style attributes work under our CSP, which forbids both (`style-src
 * 'self'`). Until the returned function is called, new elements apply their rules and properties through the CSSOM,
 * which the CSP allows.
 */
export function allowInlineStyles(): () => void {
  const sheets: CSSStyleSheet[] = []
  // oxlint-disable-next-line typescript/no-deprecated -- the deprecated overload is for legacy elements
  const make = (name: string): HTMLElement => Document.prototype.createElement.call(document, name)

  function styleElement(): HTMLElement {
    const sheet = new CSSStyleSheet()
    sheets.push(sheet)
    document.adoptedStyleSheets.push(sheet)
    // the CSP reports even an empty style element; the caller only needs an element that it can keep a reference to
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

  // an own property that shadows the inherited method
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
