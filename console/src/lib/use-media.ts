import { useCallback, useSyncExternalStore } from 'react'

/** Whether a media query holds, live. Layout belongs into CSS; this is for what CSS cannot do. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

/** From this width on the menu is wide unless it was unpinned. */
export const useIsWide = () => useMedia('(min-width: 1280px)')

/** Below this width drawers fill the screen and the menu becomes a drawer (12-shell section 1). */
export const useIsNarrow = () => useMedia('(max-width: 767px)')
