import { paths } from '../../../nav/paths'
import { VolumeForm } from './VolumeForm'

export default function VolumeAddForm() {
  return <VolumeForm closeTo={paths.volumes.list()} />
}
