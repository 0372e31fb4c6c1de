import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import type { InstanceAction } from '@mainstay/contract/compute/instance-rules'
import { useView } from '../../../api/use-view'
import { useMay } from '../../../session/may'

/** What not every engine can do: not shown before it is known. */
const notEverywhere: readonly InstanceAction[] = [
  'shelve',
  'unshelve',
  'rescue',
  'unrescue',
  'setPassword',
  'migrate',
  'evacuate',
  'stopMigration',
]

/** Whether the engine here can ever do this to instances; what it cannot is not shown at all. */
export function useEngineCan(): (action: InstanceAction) => boolean {
  const may = useMay()
  const { data } = useView(computeCluster.view, {}, { isEnabled: may(computeCluster.view.needs) })
  return (action) => data?.capabilities.instance_actions.includes(action) ?? !notEverywhere.includes(action)
}
