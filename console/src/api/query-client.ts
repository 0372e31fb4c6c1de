import { MutationCache, QueryClient } from '@tanstack/react-query'
import { CallProblem } from './problem'

// Only a read may be repeated by itself, and only where the network failed, or when a busy server asks to come back: a
// refusal stays one (12-shell section 13).
export const retry = (failures: number, thrown: Error) =>
  thrown instanceof CallProblem && (thrown.isBusy ? failures < 4 : thrown.kind === 'network' && failures < 2)

const longestWaitSeconds = 30

/** As long as the server says, and a little more for each: not all that wait come back at once. */
export const retryDelay = (failures: number, thrown: Error) => {
  const seconds = thrown instanceof CallProblem && thrown.isBusy ? (thrown.retryAfterSeconds ?? 1) : 2 ** failures
  return Math.min(seconds, longestWaitSeconds) * 1000 + Math.random() * 500
}

/** The cache of everything that the server told. Socket events keep it true, so nothing is asked for again by itself. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry,
      retryDelay,
      staleTime: 30_000,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      // an offline machine still reaches a server on its own loopback
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
  mutationCache: new MutationCache(),
})
