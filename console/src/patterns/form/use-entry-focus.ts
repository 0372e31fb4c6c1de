import { useEffect, useRef, type RefObject } from 'react'

interface EntryFocus {
  /** Ref for the container of the entries; its last child contains the add button. */
  place: RefObject<HTMLDivElement | null>
  /** Call before adding an entry: its first field receives the focus. */
  toNew: () => void
  /** Call before removing an entry together with its focused button: the add button receives the focus. */
  toRest: () => void
}

/**
 * Manages the keyboard focus when list entries are added or removed. `count` is the number of entries rendered with
 * fields.
 */
export function useEntryFocus(count: number): EntryFocus {
  const place = useRef<HTMLDivElement>(null)
  const wanted = useRef<'new' | 'rest'>(undefined)
  useEffect(() => {
    const parts = [...(place.current?.children ?? [])]
    if (wanted.current === 'new') parts.at(-2)?.querySelector<HTMLElement>('input, textarea')?.focus()
    if (wanted.current === 'rest') parts.at(-1)?.querySelector('button')?.focus()
    wanted.current = undefined
  }, [count])
  return {
    place,
    toNew: () => (wanted.current = 'new'),
    toRest: () => (wanted.current = 'rest'),
  }
}
