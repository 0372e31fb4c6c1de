import { readFileSync } from 'node:fs'
import { cleanup, configure, getConfig } from '@testing-library/react'
import { afterAll, afterEach, expect, vi } from 'vitest'
import { withQuickStyles } from './computed-style'
import { freshConsole } from './fresh-console'
import { withoutOwnerStacks } from './owner-stacks'

// One window and one evaluation of all modules serve many files: nothing that one has kept is there for the next.
vi.useRealTimers()
vi.unstubAllGlobals()
// a spy that ends with its file puts back what it found, which may be the fetch of a page that is gone
const kept = globalThis as { fetchOfNode?: typeof fetch }
globalThis.fetch = kept.fetchOfNode ??= fetch
await freshConsole()
history.replaceState(null, '', '/')
for (const part of [document.head, document.body]) part.replaceChildren()
for (const part of [document.documentElement, document.body])
  for (const { name } of [...part.attributes]) part.removeAttribute(name)

// A file that has mocks, or evaluates modules more than once, has modules of its own, and leaves none of them to the next.
if (/\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(expect.getState().testPath!, 'utf8'))) {
  vi.resetModules()
  afterAll(() => vi.resetModules())
}

withQuickStyles()
withoutOwnerStacks()
afterEach(cleanup)

/** How long a test waits for what is to appear, milliseconds: the first page of a file takes seconds on a busy machine. */
const patienceMs = 15_000
configure({ asyncUtilTimeout: patienceMs })
// While something is waited for, each look that does not find it would write out the whole page, which nobody reads: that
// happens once, when the wait is over in vain.
const { getElementError } = getConfig()
function elementError(message: string | null, container: Element): Error {
  const { _disableExpensiveErrorDiagnostics: isLooking } = getConfig() as {
    _disableExpensiveErrorDiagnostics?: boolean
  }
  if (!isLooking) return getElementError(message, container)
  return Object.assign(new Error(message ?? ''), { name: 'TestingLibraryElementError' })
}
// the library outlives a file, and has it already
if (getElementError.name !== elementError.name) configure({ getElementError: elementError })
const { waitFor } = vi
vi.waitFor = (look, options) =>
  waitFor(look, typeof options === 'number' ? options : { timeout: patienceMs, ...options })

// What jsdom lacks. Screens are tested as on a wide window.
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
