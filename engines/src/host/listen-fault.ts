/**
 * Why an address cannot be listened at, for people; null where it is something else. `variable` chooses another port.
 */
export function listenFault(error: unknown, at: { host: string; port: number; variable: string }): Error | null {
  const { host, port, variable } = at
  const reasons: Record<string, string> = {
    EADDRINUSE: `is in use by another program; choose another one with ${variable}`,
    EACCES: `is for privileged users only; choose one above 1023 with ${variable}`,
    EADDRNOTAVAIL: `cannot be opened: this machine has no address ${host}`,
    ENOTFOUND: `cannot be opened: the host ${host} is not known`,
  }
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
  return reason === undefined ? null : new Error(`Port ${port} of ${host} ${reason}.`, { cause: error })
}
