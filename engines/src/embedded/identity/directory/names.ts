/** Returns the key for comparing names regardless of case and Unicode form: `Crew` and `CREW` have the same key. */
export const folded = (name: string): string => name.normalize('NFKC').toLowerCase()
