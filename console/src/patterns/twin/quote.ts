/** Quotes a shell word if it contains anything other than letters, digits and safe punctuation. */
export const inQuotes = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
