/** The languages of the product. `tag` is passed to Intl. */
export const languages = [
  { id: 'ar', tag: 'ar', name: 'العربية', direction: 'rtl' },
  { id: 'de', tag: 'de', name: 'Deutsch', direction: 'ltr' },
  { id: 'en', tag: 'en', name: 'English', direction: 'ltr' },
  { id: 'es', tag: 'es', name: 'Español', direction: 'ltr' },
  { id: 'ja', tag: 'ja', name: '日本語', direction: 'ltr' },
  { id: 'pt', tag: 'pt', name: 'Português', direction: 'ltr' },
  { id: 'ru', tag: 'ru', name: 'Русский', direction: 'ltr' },
  { id: 'tr', tag: 'tr', name: 'Türkçe', direction: 'ltr' },
  { id: 'zh', tag: 'zh-CN', name: '中文', direction: 'ltr' },
] as const

/**
 * English, lengthened and accented at run time to reveal hard-coded and overflowing text. Offered in development only.
 */
export const pseudoLanguage = { id: 'en-XA', tag: 'en', name: 'Pseudo', direction: 'ltr' } as const

export type LanguageId = (typeof languages)[number]['id'] | typeof pseudoLanguage.id
export type Language = (typeof languages)[number] | typeof pseudoLanguage

export const defaultLanguage = languages[2]

/** The language with this ID; undefined if it is not supported. */
export const languageOf = (id: string | null | undefined): Language | undefined =>
  id === pseudoLanguage.id ? pseudoLanguage : languages.find((language) => language.id === id)
