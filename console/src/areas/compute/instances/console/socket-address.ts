import type { ConsoleTicket } from '@mainstay/contract/compute/instances'

/** Where a screen is reached: the ticket's path on the present host, below the prefix that the console is mounted at. */
export function socketAddress(
  { path, token }: Pick<ConsoleTicket, 'path' | 'token'>,
  { protocol, host }: Pick<Location, 'protocol' | 'host'>,
  root: string,
): string {
  const scheme = protocol === 'https:' ? 'wss:' : 'ws:'
  const address = new URL(`${scheme}//${host}${root.replace(/\/$/, '')}${path}`)
  // a path that holds it already is not to hold it twice
  address.searchParams.set('token', token)
  return address.href
}
