import { flavorKind, flavors } from '@mainstay/contract/compute/flavors'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { useList } from '../../../../api/use-list'

/** The flavors from which the default is chosen; at most as many as a picker loads. */
export const useFlavors = (isEnabled = true) =>
  useList(flavors.list, flavorKind, { stateIn: 'memory', limit: CHOICE_LIMIT, isEnabled })
