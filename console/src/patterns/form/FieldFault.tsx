import { BadIcon } from '../../ui/icons'
import css from './FieldFault.module.css'

/** What is wrong with a choice that is no field of its own kind: a table to pick from. */
export const FieldFault = ({ children }: { children: string | undefined }) =>
  children !== undefined && (
    <p className={css.fault} role="alert">
      <BadIcon />
      {children}
    </p>
  )
