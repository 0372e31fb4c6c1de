import { classes } from '../../lib/classes'
import css from './Spinner.module.css'

/** A small spinning ring. Purely decorative: the caller must also describe the operation in text. */
export const Spinner = ({ size = 16, className }: { size?: number; className?: string | undefined }) => (
  <svg className={classes(css.spinner, className)} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
    <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" strokeWidth="1.75" opacity="0.22" />
    <path
      d="M8 1.75A6.25 6.25 0 0 1 14.25 8"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
    />
  </svg>
)
