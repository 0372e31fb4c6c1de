import type { IncomingMessage } from 'node:http'
import type { FastifyHelmetOptions } from '@fastify/helmet'
import { splitPrefix } from './addresses/prefix'

/** The page's own address as a socket's: what `'self'` means for sockets is not the same in every browser. */
const ownSocket = (request: IncomingMessage): string => {
  const host = request.headers.host ?? ''
  return /^[A-Za-z0-9.:[\]_-]{1,255}$/.test(host) ? `ws://${host} wss://${host}` : "'self'"
}

/** Forms without header and menu, made to stand in a page of somebody else's (S1§2). */
const isEmbeddable = (url: string | undefined): boolean => splitPrefix(url ?? '').rest.startsWith('/iframe/')

/**
 * A strict policy: nothing inline, nothing from elsewhere. `parents`: origins whose pages may frame what is made for it.
 */
export const securityHeaders = (secure: boolean, parents: readonly string[]): FastifyHelmetOptions => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'img-src': ["'self'", 'data:', 'blob:'],
      'font-src': ["'self'"],
      // sounds and films of a bucket
      'media-src': ["'self'"],
      'connect-src': ["'self'", (request) => ownSocket(request)],
      'worker-src': ["'self'", 'blob:'],
      'manifest-src': ["'self'"],
      'frame-src': ["'self'"],
      'frame-ancestors': [({ url }) => ["'self'", ...(isEmbeddable(url) ? parents : [])].join(' ')],
      'form-action': ["'self'"],
      'base-uri': ["'none'"],
      'object-src': ["'none'"],
    },
  },
  // the browser remembers it for the whole host, so it is said only where every answer is encrypted
  hsts: secure ? { maxAge: 31_536_000, includeSubDomains: false } : false,
  xFrameOptions: { action: 'sameorigin' },
  referrerPolicy: { policy: 'same-origin' },
})
