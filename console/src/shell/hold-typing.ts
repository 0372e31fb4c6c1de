/** Whoever waits longer than this has given up, milliseconds. */
export const longestHoldMs = 5000

/**
 * Keeps what is typed from the page, while the field that it is meant for is still being fetched. Returns what ends this
 * and answers what was typed.
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
