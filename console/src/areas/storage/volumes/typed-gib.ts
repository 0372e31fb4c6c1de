/**
 * Parses the whole number in a field while the user is typing, regardless of which digits and separators the locale
 * uses. The field reports its value only on blur, which is too late for the quota preview.
 */
export function typedGib(text: string): number | null {
  // Latin, Arabic and Persian digits: the last four bits of the code point are the value
  const digits = Array.from(text.matchAll(/[0-9٠-٩۰-۹]/g), ([digit]) => (digit.codePointAt(0) ?? 0) & 15).join('')
  return digits === '' ? null : Number(digits)
}
