import InstanceEditForm from '../edit/InstanceEditForm'
import { machinePath } from '../resource'

/** One change, over the page of the instance. */
export default function MachineEditForm() {
  return <InstanceEditForm over={machinePath} />
}
