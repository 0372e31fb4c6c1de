/** Number of retries, and their interval in milliseconds (S1§9). */
const retries = 10
const everyMs = 300

/**
 * Moves the focus with `focus`. A window that has just opened may not have the focus yet, so this is retried for a
 * while, unless the user focuses another element. Returns a function that stops this.
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
