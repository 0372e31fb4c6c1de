import { useCallback } from 'react'
import { useNavigate } from '@tanstack/react-router'

export interface GoOptions {
  /** Leaves what is after `?` as it is: between a list and what is drawn over it. */
  keepsSearch?: boolean
  /** What stands after `?` there. */
  search?: Readonly<Record<string, string>>
  replace?: boolean
}

/** `const go = useGo()`, then `go(sshKeyResource.paths.list(), { keepsSearch: true })`. */
export function useGo() {
  const navigate = useNavigate()
  return useCallback(
    (to: string, { keepsSearch = false, search = {}, replace = false }: GoOptions = {}) =>
      void navigate({ to, replace, search: keepsSearch ? true : search }),
    [navigate],
  )
}
