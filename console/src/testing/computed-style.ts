import { readFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/*
 * Queries by role read the computed style of every element after each change. jsdom then matches all rules in its own
 * style sheet and the page’s, which takes up most of a page spec’s run time. In specs, pages have no style sheets
 * unless a spec adds one, so the queried properties depend only on the tag and the `style` attribute.
 */

type Style = typeof window.getComputedStyle
// the window is shared between files and may already have the fast version from another evaluation of this module
const { full }: { full?: Style } = window.getComputedStyle as Style & { full?: Style }
/** jsdom’s own implementation, which evaluates all rules. */
export const fullStyle = full ?? window.getComputedStyle
/** Default `display` value by tag name. */
const displayOfTag = new Map<string, string>()
/** Elements whose `display` depends on more than the tag in jsdom’s style sheet. */
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

/** Inherited from the nearest ancestor that sets it. */
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

/** Computes `display` and `visibility` without jsdom; all other properties still come from jsdom. */
export function withQuickStyles(): void {
  window.getComputedStyle = Object.assign(quickStyle, { full: fullStyle })
}

/** Adds a style sheet of the console to the page until the end of the test. */
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
