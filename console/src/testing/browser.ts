import { afterAll, beforeAll } from 'vitest'

/*
 * Two things that a page under test needs and jsdom does not have: a height, without which a virtual table draws no rows,
 * and calls to a server on another port that carry its cookie.
 */

const sizes = { clientHeight: 800, clientWidth: 1280, offsetHeight: 800, offsetWidth: 1280 }

/** Gives every element the size of a window. */
export function withLayout() {
  beforeAll(() => {
    for (const [name, value] of Object.entries(sizes))
      Object.defineProperty(HTMLElement.prototype, name, { configurable: true, value })
  })
  afterAll(() => {
    // what jsdom says stands on Element, or is put back by it for the next file
    for (const name of Object.keys(sizes)) Reflect.deleteProperty(HTMLElement.prototype, name)
  })
}

/** Sends the calls of the page to the server at `url`, as a browser of that origin would. Gives back how to end it. */
export function browseTo(url: string, session?: string): () => void {
  const real = globalThis.fetch
  const names = ['session-self-service', 'session-admin']
  const cookies = new Map(session === undefined ? [] : names.map((name) => [name, session]))
  globalThis.fetch = async (input, init = {}) => {
    const address = typeof input === 'string' ? input : ''
    // the test itself calls the server too, as a program would
    if (!address.startsWith('/')) return real(input, init)
    const { signal, ...rest } = init
    const headers = new Headers(rest.headers)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    if (rest.method && rest.method !== 'GET') headers.set('origin', url)
    // the abort signals of jsdom are not those of Node
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
