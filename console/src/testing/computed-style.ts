import { readFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/*
 * Queries by role ask for the style of each element of a page, again after each change, and jsdom then tries all rules of its own
 * and of the page on it: most of the time of a page's specs. Pages have no style sheets in specs, unless a spec adds one. Without
 * any, what a query asks for follows from the tag and from `style` attributes.
 */

type Style = typeof window.getComputedStyle
// the window outlives a file, and may have the quick one of another evaluation of this module
const { full }: { full?: Style } = window.getComputedStyle as Style & { full?: Style }
/** As jsdom works it out, from all rules. */
export const fullStyle = full ?? window.getComputedStyle
/** What an element of a tag is displayed as, unless an attribute says otherwise. */
const displayOfTag = new Map<string, string>()
/** What depends on more than the tag, in jsdom's own style sheet. */
const isSpecial = (element: Element) =>
  element.hasAttribute('hidden') ||
  element.hasAttribute('popover') ||
  /^(dialog|input|summary)$/.test(element.localName)

const ownStyle = (element: Element) => (element.hasAttribute('style') ? (element as HTMLElement).style : undefined)

function displayOf(element: Element): string {
  const own = ownStyle(element)?.display
  if (own) return own
  if (isSpecial(element)) return fullStyle(element).display
  const known = displayOfTag.get(element.localName) ?? fullStyle(element).display
  displayOfTag.set(element.localName, known)
  return known
}

/** The nearest element that says it decides. */
function visibilityOf(element: Element): string {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const own = ownStyle(at)?.visibility
    if (own) return own
    if (at.hasAttribute('hidden')) return fullStyle(at).visibility
  }
  return 'visible'
}

const quick: Readonly<Record<string, (element: Element) => string>> = { display: displayOf, visibility: visibilityOf }

function quickStyle(element: Element, pseudo?: string | null): CSSStyleDeclaration {
  if (pseudo) return fullStyle(element, pseudo)
  let worked: CSSStyleDeclaration | undefined
  const valueOf = (name: string | symbol): unknown => {
    if (typeof name === 'string' && Object.hasOwn(quick, name)) return quick[name]!(element)
    if (name === 'getPropertyValue')
      return (property: string) =>
        quick[property]?.(element) ?? (worked ??= fullStyle(element)).getPropertyValue(property)
    worked ??= fullStyle(element)
    return Reflect.get(worked, name, worked)
  }
  return new Proxy({} as CSSStyleDeclaration, { get: (_, name) => valueOf(name) })
}

/** Answers quickly what queries by role ask for; other properties are worked out by jsdom when they are read. */
export function withQuickStyles(): void {
  window.getComputedStyle = Object.assign(quickStyle, { full: fullStyle })
}

/** Adds a style sheet of the console to the page for the rest of a test. */
export function addStyleSheet(file: string): void {
  const sheet = document.createElement('style')
  sheet.textContent = readFileSync(path.join(import.meta.dirname, '..', file), 'utf8')
  document.head.append(sheet)
  window.getComputedStyle = fullStyle
  onTestFinished(() => {
    sheet.remove()
    withQuickStyles()
  })
}
