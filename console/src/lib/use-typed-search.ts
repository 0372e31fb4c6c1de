import { useState } from 'react'
import { useDebounced } from './use-debounced'

/**
 * What to look for while somebody types into a combobox. The name of the chosen one is not something to look for: the
 * others are to be seen again. `isAwaited`: what is looked for is not what is typed yet.
 */
export function useTypedSearch(chosenName: string | undefined) {
  const [typed, setTyped] = useState('')
  const wanted = typed === chosenName ? '' : typed
  const search = useDebounced(wanted)
  return { search, onSearch: setTyped, isAwaited: search !== wanted }
}
