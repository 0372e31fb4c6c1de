import { useParams, useSearch } from '@tanstack/react-router'

/** A parameter of the address: `const id = useParam('sshKeyId')`. */
export function useParam(name: string): string {
  const value = useParams({ strict: false, select: (params: Record<string, string | undefined>) => params[name] })
  if (value === undefined) throw new Error(`This address has no ${name}`)
  return value
}

/** One that may be left out, as a tab. */
export const useOptionalParam = (name: string): string | undefined =>
  useParams({ strict: false, select: (params: Record<string, string | undefined>) => params[name] })

/** One after `?`, as `image` of a form that begins with something chosen. */
export const useSearchParam = (name: string): string | undefined =>
  useSearch({ strict: false, select: (search: Record<string, unknown>) => asText(search[name]) })

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
