import { useQuery } from '@tanstack/react-query'
import { asProblem } from '../../api/problem'
import { queryClient } from '../../api/query-client'
import type { View } from '../../api/use-view'

/** One answer of S3: `useS3(s3Query.buckets(), listBuckets)`. It is asked for again after changes of this console only. */
export function useS3<Item>(
  queryKey: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<Item>,
  { isEnabled = true } = {},
): View<Item> {
  const { data, error, isPending, dataUpdatedAt, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => ask(signal),
    enabled: isEnabled,
    // whoever comes back may have changed it by another program
    refetchOnMount: 'always',
  })
  return {
    data,
    isLoading: isPending,
    problem: error && data === undefined ? asProblem(error) : undefined,
    staleSince: error && data !== undefined ? dataUpdatedAt : undefined,
    isGone: data !== undefined && error !== null && asProblem(error).status === 404,
    reload: () => void refetch(),
  }
}

/** Asks again for what is shown of S3. */
export const refreshS3 = (...keys: (readonly unknown[])[]) =>
  Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
