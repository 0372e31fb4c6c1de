import { create as createStore } from 'zustand/react'
import type { StateCreator } from 'zustand/vanilla'

const resets = new Set<() => void>()

/** Creates a store as zustand does, and remembers how its state begins. Specs have this in the place of `zustand`. */
export const create =
  <State>() =>
  (begin: StateCreator<State>) => {
    const store = createStore<State>()(begin)
    resets.add(() => store.setState(begin(store.setState, store.getState, store), true))
    return store
  }

/** Gives every store the state that it would have on a page that is opened now. */
export function resetStores(): void {
  for (const reset of resets) reset()
}
