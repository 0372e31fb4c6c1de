import { useEffect, useRef, useState, type FocusEvent } from 'react'
import { create } from 'zustand'

const hoverDelayMs = 500
/** Going from one button to the next shows the next name at once. */
const warmMs = 300
/** When a name was hidden, of whichever button. */
const lastHidden = create<{ at: number }>()(() => ({ at: 0 }))

/**
 * When the bubble at a button is open: at once on focus by keyboard, after half a second of hovering, never after a
 * press. With `isUrgent` (why a button is barred) at once in every case, also on a press.
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
