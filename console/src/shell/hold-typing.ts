/** Time limit in milliseconds, in case the field never appears. */
export const longestHoldMs = 5000

/**
 * Buffers typed text, instead of passing it to the page, while the field for it is loading. Returns a function that
 * stops this and returns the text.
 */
export function holdTyping(): () => string {
  let typed = ''
  const hold = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (event.key === 'Backspace') typed = typed.slice(0, -1)
    else if ([...event.key].length === 1) typed += event.key
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const end = () => {
    clearTimeout(limit)
    removeEventListener('keydown', hold, true)
    const all = typed
    typed = ''
    return all
  }
  addEventListener('keydown', hold, true)
  const limit = setTimeout(end, longestHoldMs)
  return end
}
