/**
 * Translates a listen error into a user-facing error; null for any other error. `variable` is the setting that changes
 * the port.
 */
export function listenFault(error: unknown, at: { host: string; port: number; variable: string }): Error | null {
  const { host, port, variable } = at
  const reasons: Record<string, string> = {
    EADDRINUSE: `is in use by another program; choose another one with ${variable}`,
    EACCES: `requires privileges; choose one above 1023 with ${variable}`,
    EADDRNOTAVAIL: `cannot be opened: this machine has no address ${host}`,
    ENOTFOUND: `cannot be opened: the host ${host} is unknown`,
  }
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
  return reason === undefined ? null : new Error(`Port ${port} of ${host} ${reason}.`, { cause: error })
}
