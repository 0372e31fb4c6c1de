// Loaded into a server (`NODE_OPTIONS=--import`): on SIGUSR2, prints the longest turn of the event loop since the
// previous signal, in milliseconds of main-thread CPU time. CPU time does not depend on the load on the host.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'

const spentMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6

// tsx has its own thread, which also loads this file
if (isMainThread) {
  let last = spentMs()
  let longest = 0
  setInterval(() => {
    const now = spentMs()
    longest = Math.max(longest, now - last)
    last = now
  }, 1).unref()
  let asked = 0
  process.on('SIGUSR2', () => {
    process.stdout.write(`longest turn ${++asked}: ${longest.toFixed(2)} ms\n`)
    longest = 0
  })
}
