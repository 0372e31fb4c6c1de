import { MutationCache, QueryClient } from '@tanstack/react-query'
import { CallProblem } from './problem'

// Only a read may be repeated by itself, and only where the network failed: a refusal stays one (12-shell section 13).
const retry = (failures: number, thrown: Error) =>
  thrown instanceof CallProblem && thrown.kind === 'network' && failures < 2

/** The cache of everything that the server told. Socket events keep it true, so nothing is asked for again by itself. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry,
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
