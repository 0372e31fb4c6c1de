import type { Endpoint } from '@mainstay/contract/core/endpoint'

/*
 * Query cache keys. The kind is the second element, so that a change event finds the lists and views of its kind. The
 * path is the third, so that `refresh: [sshKeys.list]` matches the list with any page, filter or sort.
 */
type Params = Readonly<Record<string, string>>

export const listKey = (kind: string, endpoint: Endpoint, params: Params, query: Params) =>
  ['list', kind, endpoint.path, params, query] as const

/** Key element of a composite view, built from its kinds: a change to any of these kinds invalidates the view. */
export const compositeOf = (kinds: readonly string[]) => kinds.map((kind) => `${kind} `).join('')
export const isComposite = ({ queryKey: [, kinds] }: { queryKey: readonly unknown[] }) =>
  typeof kinds === 'string' && kinds.endsWith(' ')

/** Query key of a view. `kind` is the name of a kind or the result of `compositeOf`. */
export const viewKey = (kind: string, endpoint: Endpoint, params: Params, query: Readonly<Record<string, unknown>>) =>
  ['view', kind, endpoint.path, params, query] as const

export const isOf = (endpoint: Endpoint) => (query: { queryKey: readonly unknown[] }) =>
  query.queryKey[2] === endpoint.path

export const isOfKind =
  (kind: string) =>
  ({ queryKey: [, kinds] }: { queryKey: readonly unknown[] }) =>
    typeof kinds === 'string' && (kinds === kind || kinds.split(' ').includes(kind))
