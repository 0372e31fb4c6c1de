import { cleanup, configure, getConfig } from '@testing-library/react'
import { afterEach, vi } from 'vitest'

// One window serves many files, each with modules of its own: nothing that one has kept is there for the next.
vi.useRealTimers()
vi.unstubAllGlobals()
vi.resetModules()
localStorage.clear()
sessionStorage.clear()
for (const name of document.cookie.split(/=[^;]*;? ?/)) document.cookie = `${name}=; max-age=0; path=/`
history.replaceState(null, '', '/')
for (const part of [document.head, document.body]) part.replaceChildren()
for (const part of [document.documentElement, document.body])
  for (const { name } of [...part.attributes]) part.removeAttribute(name)

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
