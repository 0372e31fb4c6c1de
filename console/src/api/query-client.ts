import { MutationCache, QueryClient } from '@tanstack/react-query'
import { CallProblem } from './problem'

// Only reads are retried automatically, and only after a network failure or when a busy server asks for it. A refusal
// is final (12-shell section 13).
export const retry = (failures: number, thrown: Error) =>
  thrown instanceof CallProblem && (thrown.isBusy ? failures < 4 : thrown.kind === 'network' && failures < 2)

const longestWaitSeconds = 30

/** The delay that the server asks for, plus up to 0.5 s of jitter so that clients do not retry in lockstep. */
export const retryDelay = (failures: number, thrown: Error) => {
  const seconds = thrown instanceof CallProblem && thrown.isBusy ? (thrown.retryAfterSeconds ?? 1) : 2 ** failures
  return Math.min(seconds, longestWaitSeconds) * 1000 + Math.random() * 500
}

/** The cache of server responses. Socket events keep it current, so nothing is refetched on focus. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry,
      retryDelay,
      staleTime: 30_000,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      // a machine without a network can still reach a server on its loopback interface
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
  mutationCache: new MutationCache(),
})
