import { translatedLanguages } from './catalogues'
import { languages, pseudoLanguage, type Language } from './languages'

/** The languages that the user can choose: those with translations and, in development, the pseudo-language. */
export const availableLanguages = (): readonly Language[] => {
  const translated = translatedLanguages()
  return [...languages.filter(({ id }) => translated.has(id)), ...(import.meta.env.DEV ? [pseudoLanguage] : [])]
}

/**
 * Returns the language that is `steps` places after `from`, wrapping around `all`. Starts at the first language if
 * `from` is not in `all`.
 */
export function nextLanguage(from: Language, steps: number, all = availableLanguages()): Language {
  const at = all.findIndex(({ id }) => id === from.id)
  return all[(at + steps + all.length) % all.length] ?? from
}
