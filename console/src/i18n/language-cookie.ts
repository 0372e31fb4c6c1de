const name = 'language'
const tenYearsSeconds = 10 * 365 * 24 * 60 * 60

/** The value of the cookie, or null. The caller checks whether it is a known language. */
export function readLanguageCookie(cookies: string = document.cookie): string | null {
  for (const pair of cookies.split(/;\s*/)) {
    const [key, value] = pair.split('=')
    if (key === name && value) return value
  }
  return null
}

/** The cookie string that keeps the language for ten years; `null` removes the cookie. */
export const languageCookie = (language: string | null) =>
  `${name}=${language ?? ''}; max-age=${language ? tenYearsSeconds : 0}; path=/; secure; samesite=strict`

export function writeLanguageCookie(language: string | null) {
  document.cookie = languageCookie(language)
}
