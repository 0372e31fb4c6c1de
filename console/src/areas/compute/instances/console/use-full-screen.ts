import { useCallback, useSyncExternalStore } from 'react'

// Chromium only: in full screen, the page also receives keys that the system would otherwise intercept (Alt+Tab, Esc).
interface KeyboardLock {
  lock?: () => Promise<void>
  unlock?: () => void
}
const keyboard = () => (navigator as { keyboard?: KeyboardLock }).keyboard

const subscribe = (listener: () => void) => {
  document.addEventListener('fullscreenchange', listener)
  return () => document.removeEventListener('fullscreenchange', listener)
}

/**
 * Full-screen state and a function to toggle it. The whole page goes full screen, so that menus and dialogs stay
 * visible.
 */
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
      .catch(() => {}) // the browser or the user refused full screen: stay in the current mode
  }, [])
  return [isFull, toggle] as const
}
