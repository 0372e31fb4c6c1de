import { useMemo } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { asProblem } from '../../../api/problem'
import { listObjects, PAGE_KEYS } from '../client/objects'
import { s3Query } from '../keys'
import { rowsOf } from './file-row'

/** Lists a folder in a bucket, 36 keys per page. `text`: lists only names with this prefix. */
export function useFolder(bucket: string, path: string, text: string) {
  const prefix = path + text
  const { data, error, isFetchingNextPage, hasNextPage, fetchNextPage, refetch, dataUpdatedAt } = useInfiniteQuery({
    queryKey: s3Query.folder(bucket, prefix),
    queryFn: ({ signal, pageParam }) =>
      listObjects(bucket, { prefix, delimiter: '/', maxKeys: PAGE_KEYS, token: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchOnMount: 'always',
  })
  const rows = useMemo(() => data && rowsOf(data.pages, path), [data, path])
  return {
    rows,
    problem: error && data === undefined ? asProblem(error) : undefined,
    staleSince: error && data !== undefined ? dataUpdatedAt : undefined,
    reload: () => void refetch(),
    more: {
      has: hasNextPage,
      isLoading: isFetchingNextPage,
      load: () => {
        if (!isFetchingNextPage) void fetchNextPage()
      },
    },
  }
}
