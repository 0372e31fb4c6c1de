import { useCallback, useSyncExternalStore } from 'react'

/** Whether a media query matches; rerenders on change. Use it only where CSS is not enough. */
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

/** Windows of at least 1280 px, where the menu column is pinned by default. */
export const useIsWide = () => useMedia('(min-width: 1280px)')

/** Windows below 768 px, where drawers fill the screen and the menu becomes a drawer (12-shell section 1). */
export const useIsNarrow = () => useMedia('(max-width: 767px)')
