import { computeCluster, type ComputeCapabilities } from '@mainstay/contract/compute/compute-cluster'
import type { InstanceAction } from '@mainstay/contract/compute/instance-rules'
import type { ConsoleProtocol } from '@mainstay/contract/compute/instances'
import { useView } from '../../../api/use-view'
import { useMay } from '../../../session/may'

/** Actions that some engines do not support. They are hidden until the capabilities are known. */
const notEverywhere: readonly InstanceAction[] = [
  'resizeWithRestart',
  'shelve',
  'unshelve',
  'rescue',
  'unrescue',
  'setPassword',
  'migrate',
  'evacuate',
  'stopMigration',
]

const onlyScreens: readonly ConsoleProtocol[] = ['vnc']

function useCluster() {
  const may = useMay()
  return useView(computeCluster.view, {}, { isEnabled: may(computeCluster.view.needs) })
}
const useCapabilities = (): ComputeCapabilities | undefined => useCluster().data?.capabilities

/** Whether the engine supports this action on any instance. If not, the action is hidden. */
export function useEngineCan(): (action: InstanceAction) => boolean {
  const capabilities = useCapabilities()
  return (action) => capabilities?.instance_actions.includes(action) ?? !notEverywhere.includes(action)
}

/** Console types that the engine offers for instances. While loading, the types that every engine offers. */
export const useConsoleProtocols = (): readonly ConsoleProtocol[] => useCapabilities()?.console_protocols ?? onlyScreens

/**
 * Whether instances have consoles, which simulated ones do not. Undefined while loading; true if the user may not read
 * the capabilities.
 */
export function useHasConsoles(): boolean | undefined {
  const may = useMay()
  const { data, problem } = useCluster()
  if (data) return data.capabilities.console_protocols.length > 0
  return problem || !may(computeCluster.view.needs) ? true : undefined
}

/** Whether the engine supports live resize; undefined while loading. */
export const useEngineHasLiveResize = (): boolean | undefined => useCapabilities()?.live_resize

/** Whether placements can be chosen per instance. If not, they are determined by the flavor and image. */
export const useEngineChoosesPlacements = (): boolean => useCapabilities()?.instance_placements ?? false

/** Whether placements can be edited and have properties other than a name. */
export const useEngineHasPlacementDetails = (): boolean => useCapabilities()?.placement_details ?? false

/** Whether high availability can be set per instance. If not, it is hidden. */
export const useEngineHasHa = (): boolean => useCapabilities()?.instance_ha ?? false
