/**
 * One value of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it:
 * strangers have chosen the names of things.
 */
export function csvCell(value: unknown): string {
  const plain = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  const text = typeof value === 'string' && /^\s*[=+\-@|%]/.test(plain) ? `'${plain}` : plain
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}

/** Spreadsheets take a file without this mark for one of their own code page. */
export const CSV_MARK = '\uFEFF'

export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(',')}\r\n`
