import { flavorKind, flavors, type Flavor } from '@mainstay/contract/compute/flavors'
import { instanceKind, instances, type Instance } from '@mainstay/contract/compute/instances'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { useList } from '../../../../api/use-list'
import { useView } from '../../../../api/use-view'
import { useMay } from '../../../../session/may'

interface Original {
  machine: Instance | null
  flavor: Flavor | null
}

/**
 * The virtual machine that a recovery point was created of, and its flavor. Each is null if it no longer exists.
 * Undefined while loading.
 */
export function useOriginal(id: string | null): Original | undefined {
  const may = useMay()
  const isAsked = id !== null && may(instances.view.needs)
  const view = useView(instances.view, { id: id ?? '-' }, { kind: instanceKind, isEnabled: isAsked })
  // the same query as that of the picker
  const offered = useList(flavors.list, flavorKind, { stateIn: 'memory', limit: CHOICE_LIMIT })
  if (!isAsked || view.problem || view.isGone) return { machine: null, flavor: null }
  if (!view.data || (offered.isLoading && !offered.problem)) return undefined
  const flavorId = view.data.flavor.id
  return { machine: view.data, flavor: offered.rows.find((flavor) => flavor.id === flavorId) ?? null }
}
