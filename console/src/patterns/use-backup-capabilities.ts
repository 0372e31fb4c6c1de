import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { useView } from '../api/use-view'
import { useMay } from '../session/may'

/** What the engine can do with recovery points; undefined while loading and without permission. */
export function useBackupCapabilities(): { verify: boolean; machines: boolean; files: boolean } | undefined {
  const may = useMay()
  const { data } = useView(computeCluster.view, {}, { isEnabled: may(computeCluster.view.needs) })
  return (
    data && {
      verify: data.capabilities.backup_verify,
      machines: data.capabilities.machine_restore,
      files: data.capabilities.backup_files,
    }
  )
}
