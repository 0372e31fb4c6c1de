import type { ReactNode } from 'react'
import { BadIcon } from '../../ui/icons'
import css from './sign-in.module.css'

/** What failed, read out when it appears; nothing where nothing did. */
export const Fault = ({ children }: { children: ReactNode }) =>
  children ? (
    <div className={css.problem} role="alert">
      <BadIcon />
      <span>{children}</span>
    </div>
  ) : null
