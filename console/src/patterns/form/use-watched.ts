import { useWatch } from 'react-hook-form'

/**
 * The current value of a field, for content that depends on it: `const way = useWatched<'import' | 'generate'>('way')`.
 */
export const useWatched = <Value>(name: string): Value => useWatch({ name }) as Value
