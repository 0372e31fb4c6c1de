import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { useView } from '../../../api/use-view'
import { useMay } from '../../../session/may'

/** Whether the engine can read stored recovery points back; undefined while loading and without permission. */
export function useCanVerify(): boolean | undefined {
  const may = useMay()
  const { data } = useView(computeCluster.view, {}, { isEnabled: may(computeCluster.view.needs) })
  return data?.capabilities.backup_verify
}
