/**
 * Splits a message bus URL into one per server. Also accepts the `transport_url` of OpenStack services:
 * `rabbit://user:password@one:5672,user:password@two:5672/host`. Without a path, the virtual host is `/`. Throws an
 * error without secrets for other URLs.
 */
export function busAddresses(url: string): string[] {
  const found = /^(rabbit|amqp|amqps):\/\/([^/?#]+)(\/[^?#]*)?(\?[^#]*)?$/.exec(url.trim())
  if (!found) throw new Error('The address of the message bus is not of the form amqp://user:password@host:port/')
  const [, scheme, servers, path = '/', query = ''] = found
  const protocol = scheme === 'rabbit' ? (/[?&]ssl=(1|true)\b/i.test(query) ? 'amqps' : 'amqp') : scheme
  const search = scheme === 'rabbit' ? '' : query
  return servers!.split(',').map((server) => `${protocol}://${server}${path === '/' ? '/%2F' : path}${search}`)
}
