import { translatedLanguages } from './catalogues'
import { languages, pseudoLanguage, type Language } from './languages'

/** Languages to choose from: those with texts of their own, and while developing the one that finds what is hard-coded. */
export const availableLanguages = (): readonly Language[] => {
  const translated = translatedLanguages()
  return [...languages.filter(({ id }) => translated.has(id)), ...(import.meta.env.DEV ? [pseudoLanguage] : [])]
}

/** The language so many places further in the circle of `all`; the first one from a language that is not in it. */
export function nextLanguage(from: Language, steps: number, all = availableLanguages()): Language {
  const at = all.findIndex(({ id }) => id === from.id)
  return all[(at + steps + all.length) % all.length] ?? from
}
