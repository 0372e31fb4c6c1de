/** Tells the developer of something that should not happen and that the person at the screen can do nothing about. */
export function reportFault(message: string, ...details: unknown[]) {
  // oxlint-disable-next-line no-console -- the browser's log is where these belong
  console.error(message, ...details)
}
