/** How often, and after how many milliseconds, the keyboard is asked for again (S1§9). */
const retries = 10
const everyMs = 300

/**
 * Gives the keyboard to what `focus` gives it to. A window that has just opened may not have it itself: then it is tried
 * again for a while, unless somebody has gone elsewhere meanwhile. Gives back how to stop.
 */
export function focusWithRetry(within: HTMLElement, focus: () => void): () => void {
  const before = document.activeElement
  let left = retries
  let timer: ReturnType<typeof setTimeout> | undefined
  const attempt = () => {
    focus()
    if (within.contains(document.activeElement) || left-- === 0) return
    timer = setTimeout(() => document.activeElement === before && attempt(), everyMs)
  }
  attempt()
  return () => clearTimeout(timer)
}
