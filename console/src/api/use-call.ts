import { useCallback, useState } from 'react'
import type { Endpoint, ReplyOf } from '@mainstay/contract/core/endpoint'
import { expectTasks } from '../notices/expected-tasks'
import { call, type CallInput, type CallOptions } from './call'
import { isOf } from './keys'
import { inDryRun } from './dry-run'
import { asProblem, isCancelled, type CallProblem } from './problem'
import { queryClient } from './query-client'

export interface CallSettings<E extends Endpoint> {
  /** Lists and views that become stale after this call. Rows of kinds with events are patched in any case. */
  refresh?: readonly Endpoint[]
  done?: (reply: ReplyOf<E>) => void
}

type RunOptions = Pick<CallOptions, 'signal' | 'isUnscoped'>

export interface Call<E extends Endpoint> {
  /** Rejects with a `CallProblem`, which forms and `confirm` display. */
  run: (input: CallInput<E>, options?: RunOptions) => Promise<ReplyOf<E>>
  /** For buttons that do not use the reply: a failure is reported in `problem`. */
  start: (input: CallInput<E>, options?: RunOptions) => void
  isPending: boolean
  problem: CallProblem | undefined
  forget: () => void
}

/** Refetches active queries of these endpoints and marks the others as stale. */
export const refresh = (endpoints: readonly Endpoint[]) =>
  Promise.all(
    endpoints.map(isOf).map(async (predicate) => {
      // an initial response still in flight predates the change, and invalidation alone would not refetch it
      await queryClient.cancelQueries({ predicate })
      await queryClient.invalidateQueries({ predicate })
    }),
  )

/** A mutating call with its pending and error state. */
export function useCall<E extends Endpoint>(endpoint: E, settings: CallSettings<E> = {}): Call<E> {
  const [pending, setPending] = useState(0)
  const [problem, setProblem] = useState<CallProblem>()
  const { refresh: stale, done } = settings

  const run = async (input: CallInput<E>, options: RunOptions = {}) => {
    const written = inDryRun(endpoint, input)
    if (written) return written
    setPending((count) => count + 1)
    setProblem(undefined)
    try {
      const reply = await call(endpoint, input, options)
      expectTasks((input as { params?: Record<string, string> }).params, reply)
      if (stale) void refresh(stale)
      done?.(reply)
      return reply
    } catch (thrown) {
      const found = asProblem(thrown)
      if (!isCancelled(found)) setProblem(found)
      throw found
    } finally {
      setPending((count) => count - 1)
    }
  }

  return {
    run,
    start: (input, options) => void run(input, options).catch(() => {}),
    isPending: pending > 0,
    problem,
    forget: useCallback(() => setProblem(undefined), []),
  }
}
