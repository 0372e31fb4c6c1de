import type { ReactNode } from 'react'
import { BadIcon } from '../../ui/icons'
import css from './sign-in.module.css'

/** An error message that screen readers announce; renders nothing without a message. */
export const Fault = ({ children }: { children: ReactNode }) =>
  children ? (
    <div className={css.problem} role="alert">
      <BadIcon />
      <span>{children}</span>
    </div>
  ) : null
