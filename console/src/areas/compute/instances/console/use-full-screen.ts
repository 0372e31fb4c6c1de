import { useCallback, useSyncExternalStore } from 'react'

// Chromium only: in full screen the page also gets keys that the system would intercept (Alt+Tab, Esc).
interface KeyboardLock {
  lock?: () => Promise<void>
  unlock?: () => void
}
const keyboard = () => (navigator as { keyboard?: KeyboardLock }).keyboard

const subscribe = (listener: () => void) => {
  document.addEventListener('fullscreenchange', listener)
  return () => document.removeEventListener('fullscreenchange', listener)
}

/** Whether the page is in full screen, and a toggle. It is the whole page, so that menus and dialogs stay visible. */
export function useFullScreen() {
  const isFull = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null)
  const toggle = useCallback(() => {
    if (document.fullscreenElement) {
      keyboard()?.unlock?.()
      void document.exitFullscreen()
      return
    }
    void document.documentElement
      .requestFullscreen()
      .then(() => keyboard()?.lock?.())
      .catch(() => {}) // refused by the browser or the user: the page stays as it is
  }, [])
  return [isFull, toggle] as const
}
