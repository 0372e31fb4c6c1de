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
  if (wanted !== language.id) return // another language has been chosen since
  current = language
  document.documentElement.lang = language.id
  document.documentElement.dir = language.direction
  for (const listener of listeners) listener()
}

/** The current language, for use outside components. */
export const currentLanguage = () => current

/** The current language; rerenders on change. `useT` and `useFormat` already follow it. */
export const useLanguage = () =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentLanguage)

/**
 * Applies the language from the cookie; await this before the first render. If the language is unknown, the cookie is
 * removed and English is used.
 */
export async function startLanguage() {
  const kept = readLanguageCookie()
  const language = languageOf(kept)
  if (kept && !language) writeLanguageCookie(null)
  await show(language ?? defaultLanguage)
}

/**
 * Applies the user’s choice without a reload, once all strings are loaded, and keeps it in the cookie for ten years.
 */
export async function setLanguage(id: LanguageId) {
  const language = languageOf(id)
  if (!language) return
  writeLanguageCookie(language.id)
  await show(language)
}
