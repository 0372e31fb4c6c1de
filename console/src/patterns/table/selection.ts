import { useMemo, useRef, useState } from 'react'
import type { List, Row } from '../../api/use-list'

type State<Item> = { of: 'some'; items: ReadonlyMap<string, Item> } | { of: 'all'; except: ReadonlySet<string> }

export interface Selection<Item extends Row> {
  count: number
  isSelected: (id: string) => boolean
  /** All matching rows are selected, including those not loaded. */
  isAllMatching: boolean
  isAllShown: boolean
  /** The selected items in their current state, or undefined if all matching rows are selected. */
  known: readonly Item[] | undefined
  toggle: (item: Item) => void
  /** Selects from the last toggled item to this one, in display order. */
  extendTo: (item: Item) => void
  toggleShown: () => void
  selectAllMatching: () => void
  clear: () => void
  /** Resolves with the selected items, after loading those that are not loaded yet. */
  resolve: (signal?: AbortSignal) => Promise<Item[]>
}

const nothing = { of: 'some', items: new Map() } as const

/** A list's selection. It is kept while pages load and rows change. */
export function useSelection<Item extends Row>(list: List<Item>): Selection<Item> {
  const [state, setState] = useState<State<Item>>(nothing)
  const anchor = useRef<string>(undefined)
  const { rows, total, everyMatching } = list

  return useMemo(() => {
    const isSelected = (id: string) => (state.of === 'all' ? !state.except.has(id) : state.items.has(id))
    const count = state.of === 'some' ? state.items.size : Math.max(0, (total ?? rows.length) - state.except.size)
    const isAllShown = rows.length > 0 && rows.every(({ id }) => isSelected(id))
    const fresh = new Map(rows.map((row) => [row.id, row]))
    const known = state.of === 'some' ? [...state.items.values()].map((item) => fresh.get(item.id) ?? item) : undefined

    function set(items: readonly Item[], on: boolean) {
      if (state.of === 'all') {
        const except = new Set(state.except)
        for (const { id } of items) {
          if (on) except.delete(id)
          else except.add(id)
        }
        setState({ of: 'all', except })
        return
      }
      const chosen = new Map(state.items)
      for (const item of items) {
        if (on) chosen.set(item.id, item)
        else chosen.delete(item.id)
      }
      setState({ of: 'some', items: chosen })
    }

    return {
      count,
      isSelected,
      isAllMatching: state.of === 'all',
      isAllShown,
      known,
      toggle(item) {
        anchor.current = item.id
        set([item], !isSelected(item.id))
      },
      extendTo(item) {
        const from = rows.findIndex(({ id }) => id === anchor.current)
        const to = rows.findIndex(({ id }) => id === item.id)
        if (from < 0 || to < 0) set([item], true)
        else set(rows.slice(Math.min(from, to), Math.max(from, to) + 1), true)
        anchor.current ??= item.id
      },
      toggleShown: () => (isAllShown ? setState(nothing) : set(rows, true)),
      selectAllMatching: () => setState({ of: 'all', except: new Set() }),
      clear: () => setState(nothing),
      resolve: async (signal) => {
        if (state.of === 'some') return [...(known ?? [])]
        return (await everyMatching(signal)).filter(({ id }) => !state.except.has(id))
      },
    }
  }, [state, rows, total, everyMatching])
}
