import { useContext, useEffect } from 'react'
import { ComboBoxStateContext } from 'react-aria-components/ComboBox'
import type { Choice } from './choice'

/** The option that the typed text refers to: the one with exactly that name, otherwise the only one. */
function meantBy(typed: string, options: readonly Choice[]): Choice | undefined {
  const wanted = typed.trim().toLocaleLowerCase()
  return (
    options.find(({ label }) => label.toLocaleLowerCase() === wanted) ?? (options.length === 1 ? options[0] : undefined)
  )
}

interface TypedPickProps {
  items: readonly Choice[]
  /** Whether the items still belong to an earlier text. */
  isAwaited: boolean
  /** The text when Enter was pressed without a highlighted option, otherwise null. */
  entered: string | null
  onOver: () => void
}

/**
 * Handles Enter in a combobox: selects the option that matches the text once the options are up to date. If several
 * match, the first is highlighted, and the next Enter selects it.
 */
export function TypedPick({ items, isAwaited, entered, onOver }: TypedPickProps) {
  const state = useContext(ComboBoxStateContext)
  useEffect(() => {
    if (entered === null || !state) return
    if (!state.isOpen || state.inputValue !== entered) return onOver()
    if (isAwaited) return
    onOver()
    const options = items.filter(({ id, disabledBecause }) => !disabledBecause && state.collection.getItem(id))
    const meant = meantBy(entered, options)
    if (!meant) return state.selectionManager.setFocusedKey(options[0]?.id ?? null)
    if (meant.id === state.value) state.close()
    else state.setValue(meant.id)
  })
  return null
}
