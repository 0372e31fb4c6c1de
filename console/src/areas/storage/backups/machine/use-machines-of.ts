import { instanceKind, instances, type Instance } from '@mainstay/contract/compute/instances'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useList } from '../../../../api/use-list'
import { useMay } from '../../../../session/may'

/**
 * Looks up the virtual machines of recovery points. The result is null for one that no longer exists, and undefined for
 * one that is not known, for example while loading.
 */
export function useMachinesOf(
  points: readonly Pick<VolumeBackup, 'server_id'>[],
): (id: string) => Instance | null | undefined {
  const may = useMay()
  const ids = [...new Set(points.flatMap(({ server_id }) => server_id ?? []))].toSorted().slice(0, CHOICE_LIMIT)
  const list = useList(instances.list, instanceKind, {
    stateIn: 'memory',
    limit: CHOICE_LIMIT,
    only: { id: `in:${ids.join(',')}` },
    isEnabled: ids.length > 0 && may(instances.list.needs),
  })
  const isKnown = !list.isLoading && !list.isChanging && !list.problem
  return (id) => list.rows.find((machine) => machine.id === id) ?? (isKnown && ids.includes(id) ? null : undefined)
}
