import { useEffect } from 'react'
import { useMatches } from '@tanstack/react-router'
import { useLanguage } from '../i18n/language'
import { loadTexts, textsNow } from '../i18n/use-t'
import type { PageRoute } from './route'
import { titleText } from './title-text'

/** Keeps the title of the window: the page's own, then the product's. */
export function usePageTitle(product: string) {
  const language = useLanguage()
  const page = useMatches({
    select: (matches) =>
      matches.map((match) => (match.staticData as { page?: PageRoute }).page).findLast((found) => found !== undefined),
  })
  useEffect(() => {
    if (!page) return
    let isCurrent = true
    void loadTexts(page.texts).then(() => {
      if (isCurrent) document.title = titleText(textsNow(page.texts)(page.title as never), product)
    })
    return () => {
      isCurrent = false
    }
  }, [page, product, language])
}
