/** By which two names are the same: `Crew` and `CREW`. */
export const folded = (name: string): string => name.normalize('NFKC').toLowerCase()
