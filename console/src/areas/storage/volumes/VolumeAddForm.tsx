import { InProject } from '../../../patterns/InProject'
import { volumeResource } from './resource'
import { VolumeForm } from './VolumeForm'

export default function VolumeAddForm() {
  return (
    <InProject closeTo={volumeResource.paths.list()}>
      <Form />
    </InProject>
  )
}

function Form() {
  return <VolumeForm closeTo={volumeResource.paths.list()} />
}
