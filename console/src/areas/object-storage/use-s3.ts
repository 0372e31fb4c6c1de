import { useQuery } from '@tanstack/react-query'
import { asProblem } from '../../api/problem'
import { queryClient } from '../../api/query-client'
import type { View } from '../../api/use-view'

/** Queries S3: `useS3(s3Query.buckets(), listBuckets)`. Refetched on mount and after changes made in this console. */
export function useS3<Item>(
  queryKey: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<Item>,
  { isEnabled = true } = {},
): View<Item> {
  const { data, error, isPending, isRefetching, dataUpdatedAt, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => ask(signal),
    enabled: isEnabled,
    // another client may have changed the data
    refetchOnMount: 'always',
  })
  return {
    data,
    isLoading: isPending,
    isReloading: isRefetching,
    problem: error && data === undefined ? asProblem(error) : undefined,
    staleSince: error && data !== undefined ? dataUpdatedAt : undefined,
    isGone: data !== undefined && error !== null && asProblem(error).status === 404,
    reload: () => void refetch(),
  }
}

/** Refetches the S3 data that is currently shown. */
export const refreshS3 = (...keys: (readonly unknown[])[]) =>
  Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
