import type { ReactNode } from 'react'
import { NothingIcon, type Icon } from '../icons'
import css from './EmptyState.module.css'

export interface EmptyStateProps {
  /** One sentence: "No instances yet." */
  children: ReactNode
  /** One action: the primary button of the list, or "Reset filters". */
  action?: ReactNode
  icon?: Icon | undefined
}

/** Nothing here, and what to do about it. */
export const EmptyState = ({ children, action, icon: StateIcon = NothingIcon }: EmptyStateProps) => (
  <div className={css.empty}>
    <StateIcon />
    <p>{children}</p>
    {action}
  </div>
)
