import type { ReactNode } from 'react'
import { useT } from '../../../i18n/use-t'
import { entryOf, isPageKnown } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { useMay } from '../../../session/may'

interface PlaceLinkProps {
  /** Path of a page in the menu. */
  to: string
  /** Default: the label of the page in the menu. */
  children?: ReactNode
}

/** A link to a page of the menu. Renders nothing if the user may not open the page. */
export function PlaceLink({ to, children }: PlaceLinkProps) {
  const shell = useT('shell')
  const may = useMay()
  const found = entryOf(to.slice(1))
  const place = found && (found.tab ?? found.entry)
  if (!place || !isPageKnown(to) || !may(place.needs)) return null
  return <Link to={to}>{children ?? shell(place.label)}</Link>
}
