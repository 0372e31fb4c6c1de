import { inject, vi } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** How long specs outside the console wait for a condition, in milliseconds. Set in vitest.config.ts. */
    patienceMs: number
  }
}

// Minimum timeout for all waits, so that tests do not fail just because the machine is busy.
const patienceMs = inject('patienceMs')
const marked = Symbol.for('mainstay.patient')
const patient = <Wait extends (look: never, options?: number | { timeout?: number; interval?: number }) => unknown>(
  wait: Wait,
): Wait => {
  if (marked in wait) return wait
  const longer = (look: never, options: number | { timeout?: number; interval?: number } = {}) => {
    const given = typeof options === 'number' ? { timeout: options } : options
    return wait(look, { ...given, timeout: Math.max(patienceMs, given.timeout ?? 0) })
  }
  return Object.assign(longer as Wait, { [marked]: true })
}
// files that run in the same worker share `vi`
vi.waitFor = patient(vi.waitFor)
vi.waitUntil = patient(vi.waitUntil)
