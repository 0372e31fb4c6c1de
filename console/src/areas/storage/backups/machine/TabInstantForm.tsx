import { useParam } from '../../../../nav/use-param'
import { instanceResource } from '../../../compute/instances/resource'
import InstantForm from './InstantForm'

/** Creates recovery points of all volumes of a virtual machine, over a tab of its details. */
export default function TabInstantForm() {
  const tab = useParam('tab')
  return <InstantForm over={(id) => instanceResource.paths.below(id, tab)} />
}
