/** Number of retries, and their interval in milliseconds (S1§9). */
const retries = 10
const everyMs = 300

/**
 * Moves the focus by calling `focus`. A newly opened window may not have the focus yet, so the call is retried until it
 * succeeds, the retries run out, or the user focuses another element. Returns a function that stops the retries.
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
