import { use, type ReactNode } from 'react'
import { Link as RouterLink } from '@tanstack/react-router'
import { IframeContext, placeInIframe } from './iframe'

export interface LinkProps {
  /** A path from `paths`. */
  to: string
  children: ReactNode
  className?: string | undefined
  /** Keeps the query string; used by pages that open over a list, so that the list keeps its filters. */
  keepsSearch?: boolean | undefined
  /** Query parameters, such as list filters in API syntax. */
  search?: Readonly<Record<string, string>> | undefined
  'aria-label'?: string | undefined
  'aria-describedby'?: string | undefined
  tabIndex?: number | undefined
  /** Called in addition to the navigation. */
  onClick?: (() => void) | undefined
  /** `auto` for user-defined names, whose text direction depends on their characters. */
  dir?: 'auto' | undefined
}

/** A link within the console. The code for its target page is preloaded on hover or focus. */
export const Link = ({ keepsSearch = false, search, ...rest }: LinkProps) => {
  const place = use(IframeContext) === null ? rest.to : placeInIframe(rest.to)
  return (
    <RouterLink
      {...(rest as { to: string })}
      // only forms can be embedded; other pages open in a new tab
      {...(place === null ? { target: '_blank' } : { to: place })}
      search={search ?? keepsSearch}
      activeProps={{ 'aria-current': 'page' }}
      activeOptions={{ includeSearch: false }}
    />
  )
}
