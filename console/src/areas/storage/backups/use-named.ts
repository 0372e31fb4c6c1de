import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import type { Access, Endpoint } from '@mainstay/contract/core/endpoint'
import { backupPlanKind, backupPlans } from '@mainstay/contract/protection/backup-plans'
import { volumeKind, volumes } from '@mainstay/contract/storage/volumes'
import { useQuery } from '@tanstack/react-query'
import { batchById } from '../../../api/batch-by-id'
import { call } from '../../../api/call'
import { viewKey } from '../../../api/keys'
import { useMay } from '../../../session/may'

/** The current name of an object; null if the object does not exist any more, undefined while loading. */
export type Found = { name: string } | null | undefined

interface Lookup {
  kind: string
  view: Endpoint
  needs: Access
  ask: (id: string) => Promise<{ id: string; name: string } | null>
}

const among = (ids: readonly string[]) => ({ query: { id: `in:${ids.join(',')}`, limit: ids.length } })

const volumeLookup: Lookup = {
  kind: volumeKind.name,
  view: volumes.view,
  needs: volumes.list.needs,
  ask: batchById(async (ids) => (await call(volumes.list, among(ids))).data),
}
const instanceLookup: Lookup = {
  kind: instanceKind.name,
  view: instances.view,
  needs: instances.list.needs,
  ask: batchById(async (ids) => (await call(instances.list, among(ids))).data),
}
const planLookup: Lookup = {
  kind: backupPlanKind.name,
  view: backupPlans.view,
  needs: backupPlans.list.needs,
  ask: batchById(async (ids) => (await call(backupPlans.list, among(ids))).data),
}

/**
 * Looks an object up by ID. Recovery points keep the names of objects that may have been deleted since. Undefined
 * without permission.
 */
function useNamed({ kind, view, needs, ask }: Lookup, id: string | null): Found {
  const may = useMay()
  const { data } = useQuery({
    // keyed as a view, so that change events update it
    queryKey: [...viewKey(kind, view, { id: id ?? '' }, {}), 'name'],
    queryFn: () => ask(id ?? ''),
    enabled: id !== null && id !== '' && may(needs),
    staleTime: Infinity,
  })
  return data
}

export const useVolumeNamed = (id: string): Found => useNamed(volumeLookup, id)
export const useInstanceNamed = (id: string | null): Found => useNamed(instanceLookup, id)
export const usePlanNamed = (id: string | null): Found => useNamed(planLookup, id)
