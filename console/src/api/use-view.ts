import type { Endpoint, GivenParams, ReplyOf } from '@mainstay/contract/core/endpoint'
import { useQuery } from '@tanstack/react-query'
import { call } from './call'
import { viewKey } from './keys'
import { pollMs, useLive } from './live-state'
import { asProblem, type CallProblem } from './problem'

export interface View<Item> {
  /** Undefined until it came, and when it could not be loaded. */
  data: Item | undefined
  isLoading: boolean
  problem: CallProblem | undefined
  /** Something is shown, and the last attempt to renew it failed: how old it is. */
  staleSince: number | undefined
  /** It was shown, and is there no more. */
  isGone: boolean
  reload: () => void
}

export interface ViewOptions {
  /** The kind whose events keep it true. Left out: the view is asked for again after a change by this console only. */
  kind?: { name: string }
  /** Kinds of which it is made where it is no row itself: a change of any of them asks for it again. */
  madeOf?: readonly string[]
  query?: Readonly<Record<string, unknown>>
  /** Of a question that is asked by POST: what it is about belongs in no address. */
  body?: Readonly<Record<string, unknown>>
  isEnabled?: boolean
  /** For figures that no event announces. */
  everyMs?: number
  /** Of one's own account, whichever project one is in. */
  isUnscoped?: boolean
}

const none = {}

/** One thing, live: `const key = useView(sshKeys.view, { id }, { kind: sshKeyKind })`. */
export function useView<E extends Endpoint>(endpoint: E, params: GivenParams<E>, options: ViewOptions = {}) {
  const { kind, madeOf = [], query = none, body, isEnabled = true, everyMs, isUnscoped } = options
  const isOffline = useLive(({ state }) => state === 'offline')
  const { data, error, isPending, dataUpdatedAt, refetch } = useQuery({
    queryKey: viewKey(kind?.name ?? madeOf.join(' '), endpoint, params as Record<string, string>, {
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
    problem: error && data === undefined ? asProblem(error) : undefined,
    staleSince: error && data !== undefined ? dataUpdatedAt : undefined,
    isGone: data !== undefined && error !== null && asProblem(error).kind === 'not-found',
    reload: () => void refetch(),
  }
  return view
}
