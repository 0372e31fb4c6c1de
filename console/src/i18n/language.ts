import { useSyncExternalStore } from 'react'
import { areasInUse, loadCatalogue } from './catalogues'
import { readLanguageCookie, writeLanguageCookie } from './language-cookie'
import { defaultLanguage, languageOf, languages, pseudoLanguage, type Language, type LanguageId } from './languages'

let current: Language = defaultLanguage
let enabled: readonly LanguageId[] = languages.map(({ id }) => id)
let wanted: LanguageId = current.id
const listeners = new Set<() => void>()

const allowed = (id: string | null) => {
  const language = languageOf(id)
  return language && (language === pseudoLanguage || enabled.includes(language.id)) ? language : undefined
}

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
  const language = allowed(kept)
  if (kept && !language) writeLanguageCookie(null)
  await show(language ?? defaultLanguage)
}

/** The person's choice: kept ten years, shown at once with all texts, without reloading. */
export async function setLanguage(id: LanguageId) {
  const language = allowed(id)
  if (!language) return
  writeLanguageCookie(language.id)
  await show(language)
}

/** Which languages the installation has enabled. If the one on the screen is not among them, English takes over. */
export async function setEnabledLanguages(ids: readonly string[], defaultId: string = defaultLanguage.id) {
  enabled = languages.map(({ id }) => id).filter((id) => ids.includes(id) || id === defaultId)
  if (allowed(current.id)) return
  writeLanguageCookie(null)
  await show(languageOf(defaultId) ?? defaultLanguage)
}

/** The languages that can be chosen, each in its own script. */
export const enabledLanguages = () => languages.filter(({ id }) => enabled.includes(id))

/** The one after (or before) the present one, round and round: Ctrl+L. */
export function neighbourLanguage(step: 1 | -1): LanguageId {
  const index = enabled.indexOf(current.id)
  return enabled.at((index + step) % enabled.length) ?? defaultLanguage.id
}
