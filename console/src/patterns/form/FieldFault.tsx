import { BadIcon } from '../../ui/icons'
import css from './FieldFault.module.css'

/** The error for a choice without an input field, such as a table to pick from. */
export const FieldFault = ({ children }: { children: string | undefined }) =>
  children !== undefined && (
    <p className={css.fault} role="alert">
      <BadIcon />
      {children}
    </p>
  )
