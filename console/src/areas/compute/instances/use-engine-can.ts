import { computeCluster, type ComputeCapabilities } from '@mainstay/contract/compute/compute-cluster'
import type { InstanceAction } from '@mainstay/contract/compute/instance-rules'
import type { ConsoleProtocol } from '@mainstay/contract/compute/instances'
import { useView } from '../../../api/use-view'
import { useMay } from '../../../session/may'

/** What not every engine can do: not shown before it is known. */
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

/** Whether the engine here can ever do this to instances; what it cannot is not shown at all. */
export function useEngineCan(): (action: InstanceAction) => boolean {
  const capabilities = useCapabilities()
  return (action) => capabilities?.instance_actions.includes(action) ?? !notEverywhere.includes(action)
}

/** The ways to sit before an instance here. Until they are known, what every engine has. */
export const useConsoleProtocols = (): readonly ConsoleProtocol[] => useCapabilities()?.console_protocols ?? onlyScreens

/** Whether instances here have consoles at all: simulated ones have none. Undefined until it is known; who cannot know it may try. */
export function useHasConsoles(): boolean | undefined {
  const may = useMay()
  const { data, problem } = useCluster()
  if (data) return data.capabilities.console_protocols.length > 0
  return problem || !may(computeCluster.view.needs) ? true : undefined
}

/** Whether instances can be given more while they run; undefined before it is known. */
export const useEngineHasLiveResize = (): boolean | undefined => useCapabilities()?.live_resize

/** Whether placements of one instance can be chosen; where not, they come with flavor and image alone. */
export const useEngineChoosesPlacements = (): boolean => useCapabilities()?.instance_placements ?? false

/** Whether placements have more than a name, and can be changed. */
export const useEngineHasPlacementDetails = (): boolean => useCapabilities()?.placement_details ?? false

/** Whether each instance has its say in high availability; where it has none, nothing of it is shown. */
export const useEngineHasHa = (): boolean => useCapabilities()?.instance_ha ?? false
