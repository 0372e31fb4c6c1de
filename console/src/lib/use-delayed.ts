import { useEffect, useState } from 'react'

/** True once `on` has been true for `delayMs`: skeletons and spinners appear only when there is really something to wait for. */
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
