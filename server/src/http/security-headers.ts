import type { IncomingMessage } from 'node:http'
import type { FastifyHelmetOptions } from '@fastify/helmet'
import { splitPrefix } from './addresses/prefix'

/** WebSocket URLs on the page's own host; browsers differ in whether `'self'` includes them. */
const ownSocket = (request: IncomingMessage): string => {
  const host = request.headers.host ?? ''
  return /^[A-Za-z0-9.:[\]_-]{1,255}$/.test(host) ? `ws://${host} wss://${host}` : "'self'"
}

/** Whether a page is one of the forms without header and menu, which other sites may embed (S1§2). */
const isEmbeddable = (url: string | undefined): boolean => splitPrefix(url ?? '').rest.startsWith('/iframe/')

/**
 * A strict content security policy: no inline code, no external sources. `parents`: origins that may frame embeddable
 * pages.
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
      // audio and video in buckets
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
  // browsers apply HSTS to the whole host, so it is sent only if TLS is on
  hsts: secure ? { maxAge: 31_536_000, includeSubDomains: false } : false,
  xFrameOptions: { action: 'sameorigin' },
  referrerPolicy: { policy: 'same-origin' },
})
