import process from 'node:process'
import { afterAll } from 'vitest'
import { endedChildrenMs } from '../costs/costs.mjs'

declare module 'vitest' {
  interface TaskMeta {
    /** For files: CPU time of the worker and of child processes that have ended, in milliseconds. */
    cpuMs?: number
  }
}

function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + endedChildrenMs()
}

// measured before the spec is loaded; a hook that a setup file registers first runs last
const before = usedMs()
// oxlint-disable-next-line no-empty-pattern -- the runner requires a pattern
afterAll(({}, { file }) => {
  file.meta.cpuMs = Math.round(usedMs() - before)
})
