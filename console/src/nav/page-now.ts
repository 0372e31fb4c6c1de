import { useEffect } from 'react'
import { useMatch, useMatches } from '@tanstack/react-router'
import { useLanguage } from '../i18n/language'
import { loadTexts, textsNow } from '../i18n/use-t'
import type { PageRoute } from './route'
import { titleText } from './title-text'

const pageOf = (match: { staticData: object }) => (match.staticData as { page?: PageRoute }).page

/** The page that is open: of several drawn over one another the last. Undefined at an address without a page. */
export const usePageNow = (): PageRoute | undefined =>
  useMatches({ select: (matches) => matches.map(pageOf).findLast((found) => found !== undefined) })

/** Keeps the title of the window: the page's own, then the product's. */
export function usePageTitle(product: string) {
  const language = useLanguage()
  const title = usePageNow()?.title
  useEffect(() => {
    if (!title) return
    let isCurrent = true
    void loadTexts(title.texts).then(() => {
      if (isCurrent) document.title = titleText(textsNow(title.texts)(title.key as never), product)
    })
    return () => {
      isCurrent = false
    }
  }, [title, product, language])
}

/** The page that a component is drawn by, which may lie under others. Undefined outside the pages of the router. */
export const useOwnPage = (): PageRoute | undefined => useMatch({ strict: false, shouldThrow: false, select: pageOf })
