import type { Endpoint, GivenParams, ReplyOf } from '@mainstay/contract/core/endpoint'
import { useQuery } from '@tanstack/react-query'
import { call } from './call'
import { compositeOf, viewKey } from './keys'
import { pollMs, useLive } from './live-state'
import { asProblem, type CallProblem } from './problem'

export interface View<Item> {
  /** The loaded object; undefined while loading and after a failure. */
  data: Item | undefined
  isLoading: boolean
  /** The data is being reloaded. */
  isReloading: boolean
  problem: CallProblem | undefined
  /** When the displayed data was loaded, in ms since 1970; set if the last refresh failed. */
  staleSince: number | undefined
  /** The object was displayed and has since been deleted. */
  isGone: boolean
  reload: () => void
}

export interface ViewOptions {
  /**
   * The kind whose events update the view. Without it, the view is refetched only after changes made in this console.
   */
  kind?: { name: string }
  /** Kinds that a composite view consists of: a change to any of them refetches it. */
  madeOf?: readonly string[]
  query?: Readonly<Record<string, unknown>>
  /** For queries sent as POST, whose input does not belong in the URL. */
  body?: Readonly<Record<string, unknown>>
  isEnabled?: boolean
  /** Polling interval, for metrics without events. */
  everyMs?: number
  /** For the user's own account, which does not depend on a project. */
  isUnscoped?: boolean
}

const none = {}

/** One object, updated live: `const key = useView(sshKeys.view, { id }, { kind: sshKeyKind })`. */
export function useView<E extends Endpoint>(endpoint: E, params: GivenParams<E>, options: ViewOptions = {}) {
  const { kind, madeOf = [], query = none, body, isEnabled = true, everyMs, isUnscoped } = options
  const isOffline = useLive(({ state }) => state === 'offline')
  const { data, error, isPending, isRefetching, dataUpdatedAt, refetch } = useQuery({
    queryKey: viewKey(kind?.name ?? compositeOf(madeOf), endpoint, params as Record<string, string>, {
      ...query,
      ...body,
    }),
    queryFn: ({ signal }) => call(endpoint, { params, query, body } as never, { signal, isUnscoped }),
    enabled: isEnabled,
    refetchInterval: everyMs ?? (isOffline ? pollMs : false),
  })
  const view: View<ReplyOf<E>> = {
    data,
    isLoading: isPending,
    isReloading: isRefetching,
    problem: error && data === undefined ? asProblem(error) : undefined,
    staleSince: error && data !== undefined ? dataUpdatedAt : undefined,
    isGone: data !== undefined && error !== null && asProblem(error).kind === 'not-found',
    reload: () => void refetch(),
  }
  return view
}
