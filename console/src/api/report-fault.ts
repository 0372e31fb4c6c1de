/** Logs a programming error that the user cannot act on. */
export function reportFault(message: string, ...details: unknown[]) {
  // oxlint-disable-next-line no-console -- these errors belong in the browser's log
  console.error(message, ...details)
}
