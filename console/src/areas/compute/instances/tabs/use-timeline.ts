import { instanceKind, instances, type TimelineEntry } from '@mainstay/contract/compute/instances'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../../../api/call'
import { viewKey } from '../../../../api/keys'
import { asProblem } from '../../../../api/problem'

const goesOn = ({ source, result }: TimelineEntry) => source !== 'alert' && result === 'running'

/**
 * An instance's timeline, loaded page by page. It is reloaded when the row changes, and also periodically, since tasks
 * can finish and alerts can fire without a change to the row. For a deleted instance, the loaded entries are kept and
 * no more are requested.
 */
export function useTimeline(id: string, isGone: boolean) {
  const { data, error, isLoading, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: viewKey(instanceKind.name, instances.timeline, { id }, {}),
    queryFn: ({ pageParam, signal }) =>
      call(instances.timeline, { params: { id }, query: pageParam ? { before: pageParam } : {} }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.pages[0]?.marker,
    enabled: !isGone,
    refetchInterval: ({ state }) => (state.data?.pages.some((page) => page.data.some(goesOn)) ? 2000 : 15_000),
  })
  return {
    entries: data?.pages.flatMap((page) => page.data),
    isLoading,
    problem: error && !data ? asProblem(error) : undefined,
    reload: () => void refetch(),
    hasEarlier: hasNextPage,
    isLoadingEarlier: isFetchingNextPage,
    loadEarlier: () => void fetchNextPage(),
  }
}
