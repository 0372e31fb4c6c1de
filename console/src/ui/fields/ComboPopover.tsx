import { useContext, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { ComboBoxStateContext } from 'react-aria-components/ComboBox'
import { Popover } from 'react-aria-components/Popover'
import list from '../list.module.css'

const OFFSET = 4

/** The list of a combobox. While what is around the box scrolls it stays open, and at the box. */
export function ComboPopover({ children }: { children: ReactNode }) {
  const state = useContext(ComboBoxStateContext)
  const isOpen = state?.isOpen ?? false
  const isScrolling = useRef(false)
  const [offset, setOffset] = useState(OFFSET)
  useLayoutEffect(() => {
    if (!isOpen) return
    const onScroll = ({ target }: Event) => {
      // the focus stays in the box: the list itself may be scrolled as well
      if (!(target instanceof Node) || !target.contains(document.activeElement)) return
      isScrolling.current = true
      setTimeout(() => (isScrolling.current = false))
      // with another number the place is worked out anew
      setOffset((before) => (before === OFFSET ? OFFSET + 0.01 : OFFSET))
    }
    addEventListener('scroll', onScroll, true)
    return () => removeEventListener('scroll', onScroll, true)
  }, [isOpen])
  return (
    <Popover
      className={list.popover ?? ''}
      offset={offset}
      isOpen={isOpen}
      onOpenChange={(wanted) => !wanted && !isScrolling.current && state?.close()}
    >
      {children}
    </Popover>
  )
}
