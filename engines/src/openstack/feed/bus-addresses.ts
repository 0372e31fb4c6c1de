/**
 * Addresses of a message bus's servers. Takes what services of the cloud have as `transport_url` as well:
 * `rabbit://user:password@one:5672,user:password@two:5672/host`. No path is the host `/`. Throws what is wrong with
 * it, without what is secret in it.
 */
export function busAddresses(url: string): string[] {
  const found = /^(rabbit|amqp|amqps):\/\/([^/?#]+)(\/[^?#]*)?(\?[^#]*)?$/.exec(url.trim())
  if (!found) throw new Error('The address of the message bus is not of the form amqp://user:password@host:port/')
  const [, scheme, servers, path = '/', query = ''] = found
  const protocol = scheme === 'rabbit' ? (/[?&]ssl=(1|true)\b/i.test(query) ? 'amqps' : 'amqp') : scheme
  const search = scheme === 'rabbit' ? '' : query
  return servers!.split(',').map((server) => `${protocol}://${server}${path === '/' ? '/%2F' : path}${search}`)
}
