import { useState } from 'react'
import { useDebounced } from './use-debounced'

/**
 * Debounced search text for a combobox. The name of the selected option counts as an empty search, so that the other
 * options are also listed. `isAwaited` is true until the search text matches what was typed.
 */
export function useTypedSearch(chosenName: string | undefined) {
  const [typed, setTyped] = useState('')
  const wanted = typed === chosenName ? '' : typed
  const search = useDebounced(wanted)
  return { search, onSearch: setTyped, isAwaited: search !== wanted }
}
