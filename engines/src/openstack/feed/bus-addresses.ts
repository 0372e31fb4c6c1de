/**
 * Splits a message bus URL into one URL per server. Also accepts the `transport_url` format of OpenStack services:
 * `rabbit://user:password@one:5672,user:password@two:5672/host`. Without a path, the virtual host is `/`. For any other
 * URL, throws an error that contains no secrets.
 */
export function busAddresses(url: string): string[] {
  const found = /^(rabbit|amqp|amqps):\/\/([^/?#]+)(\/[^?#]*)?(\?[^#]*)?$/.exec(url.trim())
  if (!found) throw new Error('The message bus address must have the form amqp://user:password@host:port/')
  const [, scheme, servers, path = '/', query = ''] = found
  const protocol = scheme === 'rabbit' ? (/[?&]ssl=(1|true)\b/i.test(query) ? 'amqps' : 'amqp') : scheme
  const search = scheme === 'rabbit' ? '' : query
  return servers!.split(',').map((server) => `${protocol}://${server}${path === '/' ? '/%2F' : path}${search}`)
}
