import { useCallback, useLayoutEffect, type RefObject } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'

/** Which rows of a long list are in the document. */
export interface RowWindow {
  first: number
  last: number
  /** Room of the rows before and after, px. */
  before: number
  after: number
  scrollTo: (index: number) => void
}

interface VirtualWindowProps {
  rows: readonly { id: string }[]
  scroller: RefObject<HTMLElement | null>
  /** Of one row, px. */
  rowHeight: number
  onChange: (part: RowWindow) => void
}

/** Tells which rows are to be seen, and shows nothing itself: it is fetched for long lists alone. */
export default function VirtualWindow({ rows, scroller, rowHeight, onChange }: VirtualWindowProps) {
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoised by a compiler
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    // another function would measure all rows again
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    overscan: 8,
    // the list was there before, and stays where it was scrolled to
    initialOffset: () => scroller.current?.scrollTop ?? 0,
  })
  const items = virtual.getVirtualItems()
  const [from, to] = [items[0], items.at(-1)]
  const [first, last] = [from?.index, to?.index]
  const [before, after] = [from?.start ?? 0, virtual.getTotalSize() - (to?.end ?? 0)]

  useLayoutEffect(() => {
    // undefined before the height of the window is known
    if (first === undefined || last === undefined) return
    const scrollTo = (index: number) => virtual.scrollToIndex(index)
    onChange({ first, last, before, after, scrollTo })
  }, [virtual, first, last, before, after, onChange])

  return null
}
