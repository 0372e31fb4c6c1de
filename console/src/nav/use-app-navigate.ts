import { use, useCallback } from 'react'
import { useNavigate } from '@tanstack/react-router'
import { IframeContext, placeInIframe } from './iframe'

export interface GoOptions {
  /** Keeps the query string when navigating between a list and the pages drawn over it. */
  keepsSearch?: boolean
  /** Query parameters of the target. */
  search?: Readonly<Record<string, string>>
  replace?: boolean
}

/**
 * Returns a function that navigates: `const go = useAppNavigate()`, then `go(sshKeyResource.paths.list(), {
 * keepsSearch: true })`.
 */
export function useAppNavigate() {
  const navigate = useNavigate()
  const end = use(IframeContext)
  return useCallback(
    (to: string, { keepsSearch = false, search = {}, replace = false }: GoOptions = {}) => {
      const place = end ? placeInIframe(to) : to
      // a frame contains only the form, so navigating elsewhere closes it
      if (place === null) end?.('done')
      else void navigate({ to: place, replace, search: keepsSearch ? true : search })
    },
    [navigate, end],
  )
}
