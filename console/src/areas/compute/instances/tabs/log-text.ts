// oxlint-disable-next-line no-control-regex -- terminal control codes are removed here
const terminalCodes = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g

/**
 * Converts a serial log to plain text: without colours and cursor movements, and with only the final text of
 * overwritten lines.
 */
export const plainLog = (log: string): string =>
  log
    .replace(terminalCodes, '')
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n')

/** The last lines of the given text, and the number of lines before them. */
export function tailOf(text: string, lines: number): { text: string; hidden: number } {
  const all = text.replace(/\n+$/, '').split('\n')
  return { text: all.slice(-lines).join('\n'), hidden: Math.max(0, all.length - lines) }
}
