import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { useMay } from '../../../session/may'
import { volumeResource } from '../volumes/resource'
import { OriginName } from './OriginName'
import { useVolumeNamed } from './use-named'

interface PointVolumeProps {
  point: Pick<VolumeBackup, 'volume_id' | 'volume_name'>
  tabIndex?: 0 | -1
}

/** The volume of a recovery point, linked to its details if it still exists. */
export function PointVolume({ point: { volume_id: id, volume_name: name }, tabIndex = 0 }: PointVolumeProps) {
  const may = useMay()
  const found = useVolumeNamed(id)
  const to = id !== '' && may(volumes.view.needs) ? volumeResource.paths.view(id) : undefined
  return <OriginName name={name} found={found} to={to} tabIndex={tabIndex} />
}
