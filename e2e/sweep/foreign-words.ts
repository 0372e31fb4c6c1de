import type { Page } from '@playwright/test'
import { diskFormats } from '@mainstay/contract/compute/image-file-types'
import { osDistros } from '@mainstay/contract/compute/image-rules'
import { LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import { insertableHeaders } from '@mainstay/contract/load-balancing/forwarding'

/**
 * Names from the contract: operating systems, disk formats, headers, and the path that providers redirect users to.
 */
const names = [...osDistros.map(({ name }) => name), ...diskFormats, ...insertableHeaders, `http ${LANDING_PATH}`].join(
  ' ',
)

/**
 * Words that are the same in every language (units, product and protocol names, key names), and words that other
 * libraries translate: Intl (times and lists) and React Aria (parts of number and combobox fields, buttons that close
 * overlays).
 */
const international =
  /^(Mainstay|Virtuozzo|admin|dora|demo|[Dd]efault|Chrome|[KMGTP]iB|kB|vCPUs?|CPU|RAM|BIOS|UEFI|TPM|ISO|AES|DES|strongSwan|img|IP|IPv[46]?|TCP|UDP|ICMP|HTTPS?|DNS|RDP|MySQL|PostgreSQL|MAC|UTC|AM|PM|SHA|RSA|ECDSA|Ed|SSH|ssh|AAAA|Ctrl|Alt|Del|Shift|Esc|Tab|Enter|Home|of|sec|min|hr|hour|hours|day|days|week|weeks|month|months|year|years|minute|minutes|second|seconds|ago|in|now|last|next|and|Show|suggestions|Dismiss|Increase|Decrease|Number|field|yesterday|today|tomorrow|[A-Z][a-z]{2})$/

/** Full names of months and weekdays, which Intl translates. */
const calendarWords = new Set([
  ...Array.from({ length: 12 }, (_, month) => new Date(2026, month, 1).toLocaleDateString('en', { month: 'long' })),
  ...Array.from({ length: 7 }, (_, day) => new Date(2026, 0, 1 + day).toLocaleDateString('en', { weekday: 'long' })),
])

/**
 * Returns the untranslated words on the page, whether visible or for screen readers: words that are neither in the
 * pseudo-language, in which all letters have accents, nor in the data from the server.
 */
export async function foreignWords(page: Page, data: string): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found: string[] = []
    const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement
      // skip parts that stay untranslated, such as commands that users type
      if (parent?.closest('[translate="no"]')) continue
      if (parent && !/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(parent.tagName) && isShown(parent))
        found.push(node.textContent ?? '')
    }
    for (const name of ['aria-label', 'placeholder', 'title', 'alt', 'aria-description', 'aria-roledescription'])
      for (const element of document.querySelectorAll(`[${name}]`)) found.push(element.getAttribute(name) ?? '')
    return found
  })
  const known = new Set(`${data} ${names}`.match(/[A-Za-z]{2,}/g))
  const words = texts.flatMap((text) =>
    // whole words only: letters next to an accented letter are part of a translated word
    [...text.matchAll(/(?<![\p{L}\p{M}])[A-Za-z]{2,}(?![\p{L}\p{M}])/gu)].map(([word]) => ({ word, text })),
  )
  return words
    .filter(({ word }) => !known.has(word) && !calendarWords.has(word) && !international.test(word))
    .map(({ word, text }) => `${word} in “${text.trim()}”`)
}
