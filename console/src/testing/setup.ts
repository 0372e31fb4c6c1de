import { readFileSync } from 'node:fs'
import { cleanup, configure, getConfig } from '@testing-library/react'
import { afterAll, afterEach, expect, vi } from 'vitest'
import { withQuickStyles } from './computed-style'
import { freshConsole } from './fresh-console'
import { withoutOwnerStacks } from './owner-stacks'

// Test files share one window and one instance of all modules, so everything that a previous file left behind is reset.
vi.useRealTimers()
vi.unstubAllGlobals()
// restoring a spy at the end of a file may bring back the fetch of a closed page
const kept = globalThis as { fetchOfNode?: typeof fetch }
globalThis.fetch = kept.fetchOfNode ??= fetch
await freshConsole()
history.replaceState(null, '', '/')
for (const part of [document.head, document.body]) part.replaceChildren()
for (const part of [document.documentElement, document.body])
  for (const { name } of [...part.attributes]) part.removeAttribute(name)

// A file that mocks or resets modules gets fresh modules, which are discarded before the next file.
if (/\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(expect.getState().testPath!, 'utf8'))) {
  vi.resetModules()
  afterAll(() => vi.resetModules())
}

withQuickStyles()
withoutOwnerStacks()
afterEach(cleanup)

/** How long a test waits for an element, in milliseconds. The first page of a file takes seconds on a busy machine. */
const patienceMs = 60_000
configure({ asyncUtilTimeout: patienceMs })
// While waiting, every failed query would format the whole page into its error message. This now happens only once,
// when the wait times out.
const { getElementError } = getConfig()
function elementError(message: string | null, container: Element): Error {
  const { _disableExpensiveErrorDiagnostics: isLooking } = getConfig() as {
    _disableExpensiveErrorDiagnostics?: boolean
  }
  if (!isLooking) return getElementError(message, container)
  return Object.assign(new Error(message ?? ''), { name: 'TestingLibraryElementError' })
}
// the library is shared between files and may already be configured
if (getElementError.name !== elementError.name) configure({ getElementError: elementError })
const { waitFor } = vi
vi.waitFor = (look, options) =>
  waitFor(look, typeof options === 'number' ? options : { timeout: patienceMs, ...options })

// Stubs for what jsdom lacks. matchMedia behaves as in a window between 768 and 1280 px wide.
globalThis.matchMedia ??= (query) =>
  Object.assign(new EventTarget(), {
    media: query,
    matches: false,
    onchange: null,
    addListener: () => {},
    removeListener: () => {},
  })
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.CSS ??= { escape: (text: string) => text.replace(/[^\w-]/g, '\\$&') } as typeof CSS
Element.prototype.scrollIntoView ??= () => {}
