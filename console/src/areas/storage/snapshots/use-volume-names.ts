import { volumeKind, volumes } from '@mainstay/contract/storage/volumes'
import { useQueries } from '@tanstack/react-query'
import { batchById } from '../../../api/batch-by-id'
import { call } from '../../../api/call'
import { viewKey } from '../../../api/keys'
import { shortId } from '../../../lib/ids'
import { useMay } from '../../../session/may'

const ask = batchById(async (ids) => {
  const { data } = await call(volumes.list, { query: { id: `in:${ids.join(',')}`, limit: ids.length } })
  return data
})

/** The names of volumes by ID; shortened IDs while loading or without permission. */
export function useVolumeNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const may = useMay()
  const wanted = [...new Set(ids)]
  const found = useQueries({
    queries: wanted.map((id) => ({
      // the query has the key of a view, so that change events update it
      queryKey: [...viewKey(volumeKind.name, volumes.view, { id }, {}), 'name'],
      queryFn: () => ask(id),
      enabled: may(volumes.list.needs),
      staleTime: Infinity,
    })),
  })
  return new Map(wanted.map((id, at) => [id, found[at]?.data?.name ?? shortId(id)]))
}
