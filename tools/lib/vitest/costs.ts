import process from 'node:process'
import { afterAll } from 'vitest'
import { endedChildrenMs } from '../costs/costs.mjs'

declare module 'vitest' {
  interface TaskMeta {
    /** For files: CPU time used by the worker and by ended child processes, in milliseconds. */
    cpuMs?: number
  }
}

function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + endedChildrenMs()
}

// measured before the spec is loaded; in a setup file, the hook that is registered first runs last
const before = usedMs()
// oxlint-disable-next-line no-empty-pattern -- the runner requires a pattern
afterAll(({}, { file }) => {
  file.meta.cpuMs = Math.round(usedMs() - before)
})
