/**
 * The whole number that a box holds while somebody types into it, whatever the language groups and writes digits with.
 * The field itself tells its value only when it is left, and the quota is to be seen before that.
 */
export function typedGib(text: string): number | null {
  // Latin, Arabic and Persian digits: the last four bits of each are its value
  const digits = Array.from(text.matchAll(/[0-9٠-٩۰-۹]/g), ([digit]) => (digit.codePointAt(0) ?? 0) & 15).join('')
  return digits === '' ? null : Number(digits)
}
