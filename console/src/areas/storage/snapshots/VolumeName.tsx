import { Link } from '../../../nav/Link'
import { volumeResource } from '../volumes/resource'
import { useVolumeNames } from './use-volume-names'

/** The name of a volume, linked to its details. */
export function VolumeName({ id, tabIndex }: { id: string; tabIndex: 0 | -1 }) {
  const names = useVolumeNames([id])
  return (
    <Link to={volumeResource.paths.view(id)} dir="auto" tabIndex={tabIndex}>
      {names.get(id)}
    </Link>
  )
}
