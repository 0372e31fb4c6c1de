import { useSyncExternalStore } from 'react'
import { areasInUse, loadCatalogue } from './catalogues'
import { readLanguageCookie, writeLanguageCookie } from './language-cookie'
import { defaultLanguage, languageOf, type Language, type LanguageId } from './languages'

let current: Language = defaultLanguage
let wanted: LanguageId = current.id
const listeners = new Set<() => void>()

async function show(language: Language) {
  wanted = language.id
  await Promise.all([...areasInUse()].map((area) => loadCatalogue(language.id, area)))
  if (wanted !== language.id) return // another one was chosen meanwhile
  current = language
  document.documentElement.lang = language.id
  document.documentElement.dir = language.direction
  for (const listener of listeners) listener()
}

/** The language now, for code that is no component. */
export const currentLanguage = () => current

/** The language, live. `useT` and `useFormat` already follow it. */
export const useLanguage = () =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentLanguage)

/** To await before the first render: shows the language of the cookie. One that is unknown is forgotten, for English. */
export async function startLanguage() {
  const kept = readLanguageCookie()
  const language = languageOf(kept)
  if (kept && !language) writeLanguageCookie(null)
  await show(language ?? defaultLanguage)
}

/** The person's choice: kept ten years, shown at once with all texts, without reloading. */
export async function setLanguage(id: LanguageId) {
  const language = languageOf(id)
  if (!language) return
  writeLanguageCookie(language.id)
  await show(language)
}
