import { use, useCallback } from 'react'
import { useNavigate } from '@tanstack/react-router'
import { IframeContext, placeInIframe } from './iframe'

export interface GoOptions {
  /** Leaves what is after `?` as it is: between a list and what is drawn over it. */
  keepsSearch?: boolean
  /** What stands after `?` there. */
  search?: Readonly<Record<string, string>>
  replace?: boolean
}

/** `const go = useGo()`, then `go(sshKeyResource.paths.list(), { keepsSearch: true })`. */
export function useAppNavigate() {
  const navigate = useNavigate()
  const end = use(IframeContext)
  return useCallback(
    (to: string, { keepsSearch = false, search = {}, replace = false }: GoOptions = {}) => {
      const place = end ? placeInIframe(to) : to
      // in a frame there is nothing beside the form: whoever leads elsewhere is done with it
      if (place === null) end?.('done')
      else void navigate({ to: place, replace, search: keepsSearch ? true : search })
    },
    [navigate, end],
  )
}
