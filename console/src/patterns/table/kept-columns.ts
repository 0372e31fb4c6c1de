import { useState } from 'react'

const keyOf = (table: string) => `mainstay.columns.${table}`

function read(table: string): string[] | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(table)) ?? 'null')
    return Array.isArray(kept) && kept.every((id) => typeof id === 'string') ? kept : null
  } catch {
    return null
  }
}

/** A table's visible columns, stored in this browser; null means the default. */
export function useKeptColumns(table: string) {
  const [chosen, setChosen] = useState(() => read(table))
  return [
    chosen,
    (ids: readonly string[] | null) => {
      setChosen(ids && [...ids])
      try {
        if (ids) localStorage.setItem(keyOf(table), JSON.stringify(ids))
        else localStorage.removeItem(keyOf(table))
      } catch {
        // storage is blocked or full: the choice lasts until the user leaves the page
      }
    },
  ] as const
}
