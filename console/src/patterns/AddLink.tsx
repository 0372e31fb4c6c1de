import type { Access } from '@mainstay/contract/core/endpoint'
import { Link } from '../nav/Link'
import { useMay } from '../session/may'
import { buttonClass } from '../ui/button-class'
import { AddIcon } from '../ui/icons'

export interface AddLinkProps {
  to: string
  /** Permission required to create; without it the button is hidden. */
  needs: Access
  children: string
  isQuiet?: boolean | undefined
}

/** A list's primary button. */
export function AddLink({ to, needs, children, isQuiet = false }: AddLinkProps) {
  const may = useMay()
  if (!may(needs)) return null
  return (
    <Link to={to} keepsSearch className={buttonClass({ variant: isQuiet ? 'quiet' : 'primary' })}>
      <AddIcon />
      <span>{children}</span>
    </Link>
  )
}
