import { useEffect, useState } from 'react'

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false

/**
 * Whether files are being dragged over the page. While `isAsked` is true, a file dropped outside the drop zone does not
 * replace the page, as it would by default.
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
    // in the capture phase, because the drop zone stops the propagation of its events
    const first = { capture: true, signal: ends.signal }
    addEventListener('dragover', over, first)
    addEventListener('dragleave', leave, first)
    addEventListener('drop', drop, first)
    return () => ends.abort()
  }, [isAsked])
  return isAsked && isOver
}
