// Creating an Intl formatter costs as much as several hundred uses of it, and a list needs the same formatters in every
// cell.
const made = new Map<string, unknown>()

function cached<T>(key: string, make: () => T): T {
  let found = made.get(key) as T | undefined
  if (found === undefined) {
    found = make()
    made.set(key, found)
  }
  return found
}

export const numberFormat = (locale: string, options: Intl.NumberFormatOptions = {}) =>
  cached(`n ${locale} ${JSON.stringify(options)}`, () => new Intl.NumberFormat(locale, options))

export const dateTimeFormat = (locale: string, options: Intl.DateTimeFormatOptions = {}) =>
  cached(`d ${locale} ${JSON.stringify(options)}`, () => new Intl.DateTimeFormat(locale, options))

export const relativeTimeFormat = (locale: string, options: Intl.RelativeTimeFormatOptions = {}) =>
  cached(`r ${locale} ${JSON.stringify(options)}`, () => new Intl.RelativeTimeFormat(locale, options))

export const listFormat = (locale: string, options: Intl.ListFormatOptions = {}) =>
  cached(`l ${locale} ${JSON.stringify(options)}`, () => new Intl.ListFormat(locale, options))

export const pluralRules = (locale: string, options: Intl.PluralRulesOptions = {}) =>
  cached(`p ${locale} ${JSON.stringify(options)}`, () => new Intl.PluralRules(locale, options))
