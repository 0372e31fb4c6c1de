import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { useView } from '../../api/use-view'
import { useMay } from '../../session/may'

/** Days for which what is deleted can be restored; 0 where it is deleted for good, and until that is known. */
export function useRecycleDays(): number {
  const may = useMay()
  return useView(computeCluster.view, {}, { isEnabled: may(computeCluster.view.needs) }).data?.recycle_days ?? 0
}
