const name = 'language'
const tenYearsSeconds = 10 * 365 * 24 * 60 * 60

/** What the cookie says, if there is one; whether it is a language is for the reader to judge. */
export function readLanguageCookie(cookies: string = document.cookie): string | null {
  for (const pair of cookies.split(/;\s*/)) {
    const [key, value] = pair.split('=')
    if (key === name && value) return value
  }
  return null
}

/** The text that sets the cookie for ten years; `null` removes it. */
export const languageCookie = (language: string | null) =>
  `${name}=${language ?? ''}; max-age=${language ? tenYearsSeconds : 0}; path=/; secure; samesite=strict`

export function writeLanguageCookie(language: string | null) {
  document.cookie = languageCookie(language)
}
