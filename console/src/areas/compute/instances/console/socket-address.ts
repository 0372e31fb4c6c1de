import type { ConsoleTicket } from '@mainstay/contract/compute/instances'

/** WebSocket URL for a console: the path from the ticket on the current host, under the console's path prefix. */
export function socketAddress(
  { path, token }: Pick<ConsoleTicket, 'path' | 'token'>,
  { protocol, host }: Pick<Location, 'protocol' | 'host'>,
  root: string,
): string {
  const scheme = protocol === 'https:' ? 'wss:' : 'ws:'
  const address = new URL(`${scheme}//${host}${root.replace(/\/$/, '')}${path}`)
  // `set`, not `append`: the path may already contain the token
  address.searchParams.set('token', token)
  return address.href
}
