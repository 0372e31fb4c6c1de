import { useEffect, useRef, useState, type FocusEvent } from 'react'
import { create } from 'zustand'

const hoverDelayMs = 500
/** Within this time after hiding one tooltip, the next one appears without a delay. */
const warmMs = 300
/** Time when any tooltip was last hidden. */
const lastHidden = create<{ at: number }>()(() => ({ at: 0 }))

/**
 * Controls a button’s tooltip: it opens immediately on keyboard focus, after half a second on hover, and never on a
 * press. With `isUrgent` (the reason why a button is disabled) it always opens immediately, even on a press.
 */
export function useHint(isUrgent: boolean) {
  const [isOpen, setOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const show = () => {
    clearTimeout(timer.current)
    setOpen(true)
  }
  const hide = () => {
    clearTimeout(timer.current)
    if (isOpen) lastHidden.setState({ at: Date.now() })
    setOpen(false)
  }
  const isWarm = () => isUrgent || Date.now() - lastHidden.getState().at < warmMs

  return {
    isOpen,
    hide,
    show,
    on: {
      onHoverStart: () => {
        clearTimeout(timer.current)
        if (isWarm()) show()
        else timer.current = setTimeout(show, hoverDelayMs)
      },
      onHoverEnd: hide,
      onFocus: ({ target }: FocusEvent) => {
        if (isUrgent || target.matches(':focus-visible')) show()
      },
      onBlur: hide,
    },
  }
}
