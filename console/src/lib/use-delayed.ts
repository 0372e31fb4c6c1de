import { useEffect, useState } from 'react'

/**
 * True once `on` has been true for `delayMs` milliseconds. Used to show skeletons and spinners only if the wait is
 * noticeable.
 */
export function useDelayed(on: boolean, delayMs = 150): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!on) return
    const timer = setTimeout(() => setLate(true), delayMs)
    return () => {
      clearTimeout(timer)
      setLate(false)
    }
  }, [on, delayMs])
  return on && late
}
