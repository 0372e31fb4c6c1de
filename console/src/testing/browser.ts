import { afterAll, beforeAll } from 'vitest'

/*
 * Provides what pages need and jsdom lacks: element sizes, without which a virtual table renders no rows, and requests
 * with cookies to a server on another port.
 */

const sizes = { clientHeight: 800, clientWidth: 1280, offsetHeight: 800, offsetWidth: 1280 }

/** Gives every element the size of a window during the tests in a file. */
export function withLayout() {
  beforeAll(() => {
    for (const [name, value] of Object.entries(sizes))
      Object.defineProperty(HTMLElement.prototype, name, { configurable: true, value })
  })
  afterAll(() => {
    // jsdom’s own definitions are on Element, so deleting these restores them for the next file
    for (const name of Object.keys(sizes)) Reflect.deleteProperty(HTMLElement.prototype, name)
  })
}

/**
 * Sends relative requests to the server at `url`, with cookies and Origin as a browser on that origin would. Returns a
 * function that restores `fetch`.
 */
export function browseTo(url: string, session?: string): () => void {
  const real = globalThis.fetch
  const names = ['session-self-service', 'session-admin']
  const cookies = new Map(session === undefined ? [] : names.map((name) => [name, session]))
  globalThis.fetch = async (input, init = {}) => {
    const address = typeof input === 'string' ? input : ''
    // the test itself calls the server with absolute URLs, as any other client would
    if (!address.startsWith('/')) return real(input, init)
    const { signal, ...rest } = init
    const headers = new Headers(rest.headers)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    if (rest.method && rest.method !== 'GET') headers.set('origin', url)
    // Node’s fetch does not accept jsdom’s abort signals
    signal?.throwIfAborted()
    const response = await real(`${url}${address}`, { ...rest, headers })
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0]!.split('=') as [string, string]
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return () => {
    globalThis.fetch = real
  }
}
