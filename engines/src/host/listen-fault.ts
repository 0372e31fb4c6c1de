/**
 * Converts a listen error to a user-facing error; returns null for any other error. `variable` is the setting that
 * changes the port.
 */
export function listenFault(error: unknown, at: { host: string; port: number; variable: string }): Error | null {
  const { host, port, variable } = at
  const reasons: Record<string, string> = {
    EADDRINUSE: `is in use by another program. Choose another port with ${variable}`,
    EACCES: `requires privileges. Choose a port above 1023 with ${variable}`,
    EADDRNOTAVAIL: `cannot be opened: this host does not have the address ${host}`,
    ENOTFOUND: `cannot be opened: the host name ${host} is unknown`,
  }
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
  return reason === undefined ? null : new Error(`Port ${port} on ${host} ${reason}.`, { cause: error })
}
