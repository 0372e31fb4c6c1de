import InstanceEditForm from '../edit/InstanceEditForm'
import { machinePath } from '../resource'

/** Edits one part of an instance, over its full page. */
export default function MachineEditForm() {
  return <InstanceEditForm over={machinePath} />
}
