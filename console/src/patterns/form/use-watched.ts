import { useWatch } from 'react-hook-form'

/** The value of a field now, for what depends on it: `const way = useWatched<'import' | 'generate'>('way')`. */
export const useWatched = <Value>(name: string): Value => useWatch({ name }) as Value
