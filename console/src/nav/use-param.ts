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

/** Where a form leads back to: to `list` where its address ends so (`{returnRoute?}` of S1§2), otherwise to `usual`. */
export const useCloseTo = (list: string, usual: string): string =>
  useOptionalParam('returnRoute') === 'list' ? list : usual

/** The tab that the address names: one of `tabs`, or the first of them. */
export function useTab<Tabs extends object>(tabs: Tabs): keyof Tabs & string {
  const wanted = useOptionalParam('tab')
  const name = wanted !== undefined && Object.hasOwn(tabs, wanted) ? wanted : Object.keys(tabs)[0]
  return name as keyof Tabs & string
}

/** One after `?`, as `image` of a form that begins with something chosen. */
export const useSearchParam = (name: string): string | undefined =>
  useSearch({ strict: false, select: (search: Record<string, unknown>) => asText(search[name]) })

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
