import process from 'node:process'
import { afterAll } from 'vitest'
import { endedChildrenMs } from '../costs/costs.mjs'

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: processor time of its worker, and of the programs that it started and that have ended, milliseconds. */
    cpuMs?: number
  }
}

function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + endedChildrenMs()
}

// read before the file is evaluated; what a setup file registers first is the last to run after all tests
const before = usedMs()
// oxlint-disable-next-line no-empty-pattern -- the runner insists on a pattern
afterAll(({}, { file }) => {
  file.meta.cpuMs = Math.round(usedMs() - before)
})
