import { useEffect } from 'react'
import { useMatch, useMatches } from '@tanstack/react-router'
import { useLanguage } from '../i18n/language'
import { loadTexts, textsNow } from '../i18n/use-t'
import type { PageRoute } from './route'
import { titleText } from './title-text'

const pageOf = (match: { staticData: object }) => (match.staticData as { page?: PageRoute }).page

/** The current page: the topmost one if several are drawn over each other. Undefined for unknown URLs. */
export const usePageNow = (): PageRoute | undefined =>
  useMatches({ select: (matches) => matches.map(pageOf).findLast((found) => found !== undefined) })

/** Keeps the window title up to date: the page title, then the product name. */
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

/** The page that renders the calling component, which may lie behind other pages. Undefined outside the router. */
export const useOwnPage = (): PageRoute | undefined => useMatch({ strict: false, shouldThrow: false, select: pageOf })
