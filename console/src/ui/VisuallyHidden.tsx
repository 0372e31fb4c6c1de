import type { ReactNode } from 'react'
import css from './VisuallyHidden.module.css'

/** Text for screen readers only. */
export const VisuallyHidden = ({ children, id }: { children: ReactNode; id?: string | undefined }) => (
  <span className={css.hidden} id={id}>
    {children}
  </span>
)
