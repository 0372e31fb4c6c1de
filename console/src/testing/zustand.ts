import { create as createStore } from 'zustand/react'
import type { StateCreator } from 'zustand/vanilla'

const resets = new Set<() => void>()

/** Replaces `create` of `zustand` in specs. Remembers how to initialize each store so that it can be reset. */
export const create =
  <State>() =>
  (begin: StateCreator<State>) => {
    const store = createStore<State>()(begin)
    resets.add(() => store.setState(begin(store.setState, store.getState, store), true))
    return store
  }

/** Resets all stores to the state of a newly opened page. */
export function resetStores(): void {
  for (const reset of resets) reset()
}
