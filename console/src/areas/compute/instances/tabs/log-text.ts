// oxlint-disable-next-line no-control-regex -- a terminal's own codes are what is taken out here
const terminalCodes = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g

/** A serial log as text: without colours and cursor moves, a line that was written over as it was at its end. */
export const plainLog = (log: string): string =>
  log
    .replace(terminalCodes, '')
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n')

/** The last lines, and how many there were before them. */
export function tailOf(text: string, lines: number): { text: string; hidden: number } {
  const all = text.replace(/\n+$/, '').split('\n')
  return { text: all.slice(-lines).join('\n'), hidden: Math.max(0, all.length - lines) }
}
