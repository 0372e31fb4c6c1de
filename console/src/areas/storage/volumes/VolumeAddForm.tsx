import { volumeResource } from './resource'
import { VolumeForm } from './VolumeForm'

export default function VolumeAddForm() {
  return <VolumeForm closeTo={volumeResource.paths.list()} />
}
