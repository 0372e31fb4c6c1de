/** The text without halves of characters, which UTF-8 and PostgreSQL have no place for. */
export const wellFormed = (text: string): string => Buffer.from(text).toString()
