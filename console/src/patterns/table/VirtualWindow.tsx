import { useCallback, useLayoutEffect, type RefObject } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'

/** The rendered part of a long list. */
export interface RowWindow {
  first: number
  last: number
  /** Height of the rows before and after the rendered part, in pixels. */
  before: number
  after: number
  scrollTo: (index: number) => void
}

interface VirtualWindowProps {
  rows: readonly { id: string }[]
  scroller: RefObject<HTMLElement | null>
  /** Height of one row, in pixels. */
  rowHeight: number
  onChange: (part: RowWindow) => void
}

/** Reports the visible rows and renders nothing. Loaded only for long lists. */
export default function VirtualWindow({ rows, scroller, rowHeight, onChange }: VirtualWindowProps) {
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by a compiler
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    // a new function would cause all rows to be measured again
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    overscan: 8,
    // keeps the scroll position of the list
    initialOffset: () => scroller.current?.scrollTop ?? 0,
  })
  const items = virtual.getVirtualItems()
  const [from, to] = [items[0], items.at(-1)]
  const [first, last] = [from?.index, to?.index]
  const [before, after] = [from?.start ?? 0, virtual.getTotalSize() - (to?.end ?? 0)]

  useLayoutEffect(() => {
    // both are undefined until the height of the viewport is known
    if (first === undefined || last === undefined) return
    const scrollTo = (index: number) => virtual.scrollToIndex(index)
    onChange({ first, last, before, after, scrollTo })
  }, [virtual, first, last, before, after, onChange])

  return null
}
