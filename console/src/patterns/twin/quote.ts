/** A word of a shell: in quotes where it is more than letters, digits and a few signs. */
export const inQuotes = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
