import { useEffect, useState } from 'react'

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false

/**
 * Whether files are dragged over the page. While it is asked, a file that is let go beside its place does not replace the
 * page, as browsers would have it.
 */
export function useFileDrag(isAsked: boolean): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    if (!isAsked) return
    const ends = new AbortController()
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault()
      setOver(false)
    }
    // before the place itself, which keeps what happens in it to itself
    const first = { capture: true, signal: ends.signal }
    addEventListener('dragover', over, first)
    addEventListener('dragleave', leave, first)
    addEventListener('drop', drop, first)
    return () => ends.abort()
  }, [isAsked])
  return isAsked && isOver
}
