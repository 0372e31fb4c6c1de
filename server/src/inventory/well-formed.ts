/** Replaces lone surrogates, which neither UTF-8 nor PostgreSQL can represent. */
export const wellFormed = (text: string): string => Buffer.from(text).toString()
