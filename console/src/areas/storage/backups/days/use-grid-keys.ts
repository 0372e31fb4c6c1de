import { useCallback, useRef, type KeyboardEvent } from 'react'

/** A step from a cell to another one: rows down, columns to the end of the line. */
export interface GridStep {
  rows: number
  columns: number
}

const steps: Readonly<Record<string, GridStep>> = {
  ArrowUp: { rows: -1, columns: 0 },
  ArrowDown: { rows: 1, columns: 0 },
  ArrowLeft: { rows: 0, columns: -1 },
  ArrowRight: { rows: 0, columns: 1 },
}

/** The step for an arrow key. In languages that are written from right to left, the left key leads to the end. */
export function stepOf({ key, currentTarget }: Pick<KeyboardEvent, 'key' | 'currentTarget'>): GridStep | undefined {
  const step = steps[key]
  const isReversed = getComputedStyle(currentTarget).direction === 'rtl'
  return step && isReversed ? { ...step, columns: step.columns ? -step.columns : 0 } : step
}

/**
 * Focuses cells of a grid by their key, which they have in `data-cell`: the cell itself, or the
 * link in it. A cell that is not there yet is focused when it
 * is rendered: `cell` is the ref of each cell.
 */
export function useCellFocus() {
  const wanted = useRef<string | null>(null)
  const cell = useCallback((element: HTMLElement | null) => {
    if (element && element.dataset['cell'] === wanted.current) {
      wanted.current = null
      element.focus()
    }
  }, [])
  const focus = useCallback((grid: HTMLElement, key: string) => {
    const found = grid.querySelector<HTMLElement>(`[data-cell="${CSS.escape(key)}"]`)
    if (found) (found.querySelector('a') ?? found).focus()
    else wanted.current = key
  }, [])
  return { cell, focus }
}
