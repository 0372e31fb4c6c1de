import { useParam } from '../../../../nav/use-param'
import { instanceResource } from '../../../compute/instances/resource'
import ReplaceMachineForm from './ReplaceMachineForm'

/** Replaces the volumes of a virtual machine, over a tab of its details. */
export default function TabReplaceForm() {
  const closeTo = instanceResource.paths.below(useParam('id'), useParam('tab'))
  return <ReplaceMachineForm pointId={useParam('pointId')} closeTo={closeTo} />
}
