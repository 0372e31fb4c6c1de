import { useSyncExternalStore } from 'react'

// One clock for the whole page, so that all displayed times update together. It stops while it has no listeners.
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

/** Components read the clock before they subscribe, so a stopped clock is updated first. */
function read(): number {
  if (listeners.size === 0 && Date.now() - now >= tickMs) now = Date.now()
  return now
}

/** The current time in milliseconds, updated every 15 s. */
export const useNow = () => useSyncExternalStore(subscribe, read)
