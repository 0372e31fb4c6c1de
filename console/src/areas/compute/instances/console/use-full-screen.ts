import { useCallback, useSyncExternalStore } from 'react'

// Chromium only: keys that the system would keep (Alt+Tab, Esc) go to the page while it fills the screen.
interface KeyboardLock {
  lock?: () => Promise<void>
  unlock?: () => void
}
const keyboard = () => (navigator as { keyboard?: KeyboardLock }).keyboard

const subscribe = (listener: () => void) => {
  document.addEventListener('fullscreenchange', listener)
  return () => document.removeEventListener('fullscreenchange', listener)
}

/** Whether the page fills the screen, and how to change that. The whole page: menus and dialogs must stay visible. */
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
      .catch(() => {}) // refused by the browser or its owner: the page stays as it is
  }, [])
  return [isFull, toggle] as const
}
