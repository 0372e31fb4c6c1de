import type { Endpoint } from '@mainstay/contract/core/endpoint'

/*
 * Keys of the query cache. The kind stands second, so that an event of a kind finds its lists and views, and the path
 * third, so that `refresh: [sshKeys.list]` finds every page, filter and sort of that list.
 */
type Params = Readonly<Record<string, string>>

export const listKey = (kind: string, endpoint: Endpoint, params: Params, query: Params) =>
  ['list', kind, endpoint.path, params, query] as const

/** `kind` may be several with a space between: of whatever a view is made, a change of it asks anew. */
export const viewKey = (kind: string, endpoint: Endpoint, params: Params, query: Readonly<Record<string, unknown>>) =>
  ['view', kind, endpoint.path, params, query] as const

export const isOf = (endpoint: Endpoint) => (query: { queryKey: readonly unknown[] }) =>
  query.queryKey[2] === endpoint.path

export const isOfKind =
  (kind: string) =>
  ({ queryKey: [, kinds] }: { queryKey: readonly unknown[] }) =>
    typeof kinds === 'string' && (kinds === kind || kinds.split(' ').includes(kind))
