import type { ReactNode } from 'react'
import { NothingIcon, type Icon } from '../icons'
import css from './EmptyState.module.css'

export interface EmptyStateProps {
  /** One sentence: "No instances yet." */
  children: ReactNode
  /** A single action: the list’s primary button or "Reset filters". */
  action?: ReactNode
  icon?: Icon | undefined
}

/** Shown instead of an empty list, with a suggested action. */
export const EmptyState = ({ children, action, icon: StateIcon = NothingIcon }: EmptyStateProps) => (
  <div className={css.empty}>
    <StateIcon />
    <p>{children}</p>
    {action}
  </div>
)
