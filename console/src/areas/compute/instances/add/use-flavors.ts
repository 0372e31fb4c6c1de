import { flavorKind, flavors } from '@mainstay/contract/compute/flavors'
import { useList } from '../../../../api/use-list'

/** The flavors from which one is proposed: as many as one would look through. */
export const useFlavors = () => useList(flavors.list, flavorKind, { stateIn: 'memory', limit: 100 })
