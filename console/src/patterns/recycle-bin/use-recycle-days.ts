import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { useView } from '../../api/use-view'
import { useMay } from '../../session/may'

/** How many days deleted objects can be restored; 0 if they are deleted permanently, and while loading. */
export function useRecycleDays(): number {
  const may = useMay()
  return useView(computeCluster.view, {}, { isEnabled: may(computeCluster.view.needs) }).data?.recycle_days ?? 0
}
