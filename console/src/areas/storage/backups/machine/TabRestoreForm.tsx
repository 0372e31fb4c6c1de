import { useParam } from '../../../../nav/use-param'
import { instanceResource } from '../../../compute/instances/resource'
import RestoreMachineForm from './RestoreMachineForm'

/** Restores a virtual machine as a new one, over a tab of its details. */
export default function TabRestoreForm() {
  const closeTo = instanceResource.paths.below(useParam('id'), useParam('tab'))
  return <RestoreMachineForm pointId={useParam('pointId')} closeTo={closeTo} />
}
