import { machinePath } from '../../../compute/instances/resource'
import InstantForm from './InstantForm'

/** Creates recovery points of all volumes of a virtual machine, over its full page. */
export default function MachineInstantForm() {
  return <InstantForm over={machinePath} />
}
