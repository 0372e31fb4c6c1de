import { useContext, useEffect } from 'react'
import { ComboBoxStateContext } from 'react-aria-components/ComboBox'
import type { Choice } from './choice'

/** The option that what is typed means: the one of that name, or the only one there is. */
function meantBy(typed: string, options: readonly Choice[]): Choice | undefined {
  const wanted = typed.trim().toLocaleLowerCase()
  return (
    options.find(({ label }) => label.toLocaleLowerCase() === wanted) ?? (options.length === 1 ? options[0] : undefined)
  )
}

interface TypedPickProps {
  items: readonly Choice[]
  /** The items are still those of an earlier text. */
  isAwaited: boolean
  /** What was typed when Enter was pressed with no option marked; null: it was not. */
  entered: string | null
  onOver: () => void
}

/**
 * Within a combobox: Enter picks the option that the text means, as soon as the options answer that text. Where several
 * could be meant it marks the first, and the next Enter picks it.
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
