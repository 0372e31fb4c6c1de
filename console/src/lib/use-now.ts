import { useSyncExternalStore } from 'react'

// One clock for the whole page, so that all times on it turn over together. It stands still while nobody looks.
const tickMs = 15_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick() {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  if (listeners.size === 0) {
    now = Date.now()
    timer = setInterval(tick, tickMs)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

/** The clock stops while nobody listens. A component reads it before it begins to listen, so a stopped clock is set first. */
function read(): number {
  if (listeners.size === 0 && Date.now() - now >= tickMs) now = Date.now()
  return now
}

/** The present, renewed every 15 s. */
export const useNow = () => useSyncExternalStore(subscribe, read)
