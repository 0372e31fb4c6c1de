import { useEffect, useRef, type RefObject } from 'react'

interface EntryFocus {
  /** Of what holds the entries, and last the button that adds one. */
  place: RefObject<HTMLDivElement | null>
  /** Before an entry is added: its first field gets the focus. */
  toNew: () => void
  /** Before an entry is taken away, with the button that is in focus: the button that adds one gets it. */
  toRest: () => void
}

/**
 * Leads who works with the keyboard to an entry of a list that was added, and nowhere else when one is taken away.
 * `count`: of the entries that are drawn with their fields.
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
