import type { ReactNode } from 'react'
import type { Icon } from '../icons'

/** An option in a select, a combobox or a group of cards. */
export interface Choice<Id extends string = string> {
  id: Id
  label: string
  description?: string | undefined
  icon?: Icon | undefined
  /** Shown dimmed at the end: a size, a count or an example. */
  end?: ReactNode
  /** Why the option is disabled; shown below the label. */
  disabledBecause?: string | undefined
}
