import { useParams, useSearch } from '@tanstack/react-router'

/** A required path parameter: `const id = useParam('sshKeyId')`. Throws if the current path has none. */
export function useParam(name: string): string {
  const value = useParams({ strict: false, select: (params: Record<string, string | undefined>) => params[name] })
  if (value === undefined) throw new Error(`The current path has no parameter ${name}`)
  return value
}

/** An optional path parameter, such as a tab. */
export const useOptionalParam = (name: string): string | undefined =>
  useParams({ strict: false, select: (params: Record<string, string | undefined>) => params[name] })

/**
 * The path that a form returns to: `list` if the current path ends with that segment (`{returnRoute?}` of S1§2),
 * otherwise `usual`.
 */
export const useCloseTo = (list: string, usual: string): string =>
  useOptionalParam('returnRoute') === 'list' ? list : usual

/** The tab named in the path, or else the first of `tabs`. */
export function useTab<Tabs extends object>(tabs: Tabs): keyof Tabs & string {
  const wanted = useOptionalParam('tab')
  const name = wanted !== undefined && Object.hasOwn(tabs, wanted) ? wanted : Object.keys(tabs)[0]
  return name as keyof Tabs & string
}

/** A query parameter, such as `image` for a form with a preselected image. */
export const useSearchParam = (name: string): string | undefined =>
  useSearch({ strict: false, select: (search: Record<string, unknown>) => asText(search[name]) })

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
