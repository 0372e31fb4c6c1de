import { inject, vi } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** How long a spec outside the console waits for what is to come about, milliseconds; vitest.config.ts says it. */
    patienceMs: number
  }
}

// What a wait is about decides a test, and how busy the machine is does not: no wait is shorter than this.
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
// files of one worker share `vi`
vi.waitFor = patient(vi.waitFor)
vi.waitUntil = patient(vi.waitUntil)
