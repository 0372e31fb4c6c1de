import type { ReactNode } from 'react'
import type { Icon } from '../icons'

/** One of the things that a select, a combobox or a group of cards offers. */
export interface Choice<Id extends string = string> {
  id: Id
  label: string
  description?: string | undefined
  icon?: Icon | undefined
  /** Dimmed at the end: a size, a count, a sample. */
  end?: ReactNode
  /** Why it cannot be chosen now; shown under the label. */
  disabledBecause?: string | undefined
}
