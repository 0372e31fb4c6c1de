import { useEffect, useState } from 'react'
import { useLanguage } from '../i18n/language'
import { loadTexts, textsNow } from '../i18n/use-t'
import { addPages } from '../nav/known-pages'

type AddPage = ReturnType<typeof addPages>[number] & { label: string }

/** The pages that create objects, labelled with their titles. Empty until the catalogues with the titles are loaded. */
export function useAddPages(): readonly AddPage[] {
  const language = useLanguage()
  const [pages, setPages] = useState<readonly AddPage[]>([])
  useEffect(() => {
    let isCurrent = true
    const all = addPages()
    const label = ({ texts, key }: AddPage['title']) => textsNow(texts)(key as never)
    Promise.all(all.map(({ title }) => loadTexts(title.texts))).then(
      () => isCurrent && setPages(all.map((page) => ({ ...page, label: label(page.title) }))),
      // if their titles cannot be loaded, the pages are not offered
      () => {},
    )
    return () => {
      isCurrent = false
    }
  }, [language])
  return pages
}
