import { use, type ReactNode } from 'react'
import { Link as RouterLink } from '@tanstack/react-router'
import { IframeContext, placeInIframe } from './iframe'

export interface LinkProps {
  /** From `paths`. */
  to: string
  children: ReactNode
  className?: string | undefined
  /** Leaves what is after `?` as it is: for pages over a list, which keeps its filters. */
  keepsSearch?: boolean | undefined
  /** What stands after `?`: filters of a list, in the syntax of the API. */
  search?: Readonly<Record<string, string>> | undefined
  'aria-label'?: string | undefined
  'aria-describedby'?: string | undefined
  tabIndex?: number | undefined
  /** Beside where it leads. */
  onClick?: (() => void) | undefined
  /** `auto`: a name in letters of either direction, which ends where its own letters end. */
  dir?: 'auto' | undefined
}

/** A link within the console. Its page's code is fetched when somebody is about to press it. */
export const Link = ({ keepsSearch = false, search, ...rest }: LinkProps) => {
  const place = use(IframeContext) === null ? rest.to : placeInIframe(rest.to)
  return (
    <RouterLink
      {...(rest as { to: string })}
      // what is no form has no place in a frame
      {...(place === null ? { target: '_blank' } : { to: place })}
      search={search ?? keepsSearch}
      activeProps={{ 'aria-current': 'page' }}
      activeOptions={{ includeSearch: false }}
    />
  )
}
