/** Something of which a project may have so much. */
export interface Quota {
  /** Whose engine sets the limit, and refuses what would go beyond it. */
  area: string
  /** What engines count in: things, MiB or bytes. The API answers every size in bytes. */
  unit: 'things' | 'MiB' | 'bytes'
  /** What is counted: the rows of a kind in the index or, with `sum`, one of their numbers by its path. */
  of: string
  sum?: string
  /** The number of what is in the recycle bin that counts as well, by its path. */
  recycled?: string
  /** Where the call of quotas answers it: `compute.cores`. */
  at: string
  /** Names it where it is not enough. */
  words: string
}

/** Declares a quota. Calls, checks of engines, figures and the console's meters follow from it. */
export const quota = <const Given extends Quota>(given: Given): Given => given
