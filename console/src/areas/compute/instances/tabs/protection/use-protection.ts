import type { Instance } from '@mainstay/contract/compute/instances'
import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { backupPlanKind, backupPlans, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { volumeBackupKind, volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { useList, type List } from '../../../../../api/use-list'
import { useMay } from '../../../../../session/may'
import { instantsOf, type Instant } from './instants'

export interface PlansOfMachine {
  /** Backup plans that contain volumes of the virtual machine. */
  plans: readonly BackupPlan[]
  /** Names of the virtual machine's volumes that no plan contains. */
  unprotected: readonly string[]
}

interface Protection {
  instants: readonly Instant[]
  /** Undefined while loading, or if the user may not read plans. */
  ofPlans: PlansOfMachine | undefined
  isLoading: boolean
  list: Pick<List, 'problem' | 'reload'>
}

/** The recovery points of a virtual machine, and the backup plans that contain its volumes. */
export function useProtection({ id, volumes, project_id }: Instance): Protection {
  const may = useMay()
  const list = useList(volumeBackups.list, volumeBackupKind, {
    stateIn: 'memory',
    limit: WHOLE_LIMIT,
    only: { server_id: id },
  })
  const planList = useList(backupPlans.list, backupPlanKind, {
    stateIn: 'memory',
    limit: WHOLE_LIMIT,
    only: { project_id },
    isEnabled: may(backupPlans.list.needs),
  })
  const volumeIds = volumes.map((volume) => volume.id)
  const plans = planList.rows.filter(({ volume_ids }) => volumeIds.some((volume) => volume_ids.includes(volume)))
  const isPlanned = (volume: string) => plans.some(({ volume_ids }) => volume_ids.includes(volume))
  const unprotected = volumes.filter((volume) => !isPlanned(volume.id)).map((volume) => volume.name || volume.id)
  return {
    instants: instantsOf(list.rows, volumeIds),
    ofPlans: planList.isLoading || planList.problem ? undefined : { plans, unprotected },
    isLoading: list.isLoading,
    list,
  }
}
