/**
 * Formats one CSV value (RFC 4180). Text that a spreadsheet would read as a formula gets a leading apostrophe: names
 * come from untrusted users.
 */
export function csvCell(value: unknown): string {
  const plain = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  const text = typeof value === 'string' && /^\s*[=+\-@|%]/.test(plain) ? `'${plain}` : plain
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}

/** Byte order mark. Without it, spreadsheets do not read the file as UTF-8. */
export const CSV_MARK = '\uFEFF'

export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(',')}\r\n`
