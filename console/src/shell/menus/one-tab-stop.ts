import { useCallback, useLayoutEffect, type FocusEvent, type KeyboardEvent, type RefObject } from 'react'

const itemsOf = (part: HTMLElement) => [...part.querySelectorAll<HTMLElement>('a, button')]

/** The item that Tab focuses: the focused one, otherwise the current one, otherwise the first link. */
export const tabStopOf = (part: HTMLElement): HTMLElement | undefined => {
  const items = itemsOf(part)
  return (
    items.find((item) => item === document.activeElement) ??
    items.find((item) => item.hasAttribute('aria-current')) ??
    items.find((item) => item.tagName === 'A')
  )
}

function setTabStop(part: HTMLElement) {
  const stop = tabStopOf(part)
  for (const item of itemsOf(part)) item.tabIndex = item === stop ? 0 : -1
}

/**
 * Turns the links and buttons of a menu part into one tab stop: the up and down arrow keys move between them and wrap
 * around, Home and End go to the first and last. Returns handlers for the element that `part` refers to.
 */
export function useOneTabStop(part: RefObject<HTMLElement | null>) {
  useLayoutEffect(() => {
    if (part.current) setTabStop(part.current)
  })
  const onFocus = useCallback(({ currentTarget }: FocusEvent<HTMLElement>) => setTabStop(currentTarget), [])
  const onBlur = useCallback(({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    // when the focus returns, the tab stop is at the current item again
    if (!currentTarget.contains(relatedTarget)) queueMicrotask(() => setTabStop(currentTarget))
  }, [])
  const onKeyDown = useCallback((event: KeyboardEvent<HTMLElement>) => {
    const items = itemsOf(event.currentTarget)
    const at = items.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    items.at(next % items.length)?.focus()
  }, [])
  return { onFocus, onBlur, onKeyDown }
}

/** The arrow keys that move between the rail and the pages, depending on the text direction. */
export const sidewaysKeys = (element: Element) =>
  getComputedStyle(element).direction === 'rtl'
    ? ({ inwards: 'ArrowLeft', back: 'ArrowRight' } as const)
    : ({ inwards: 'ArrowRight', back: 'ArrowLeft' } as const)
