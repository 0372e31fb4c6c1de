import { instances } from '@mainstay/contract/compute/instances'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useMay } from '../../../session/may'
import { instanceResource } from '../../compute/instances/resource'
import { OriginName } from './OriginName'
import { useInstanceNamed } from './use-named'

interface PointMachineProps {
  point: Pick<VolumeBackup, 'server_id' | 'server_name'>
  tabIndex?: 0 | -1
}

/** The virtual machine that the volume was attached to, if any, linked to its details if it still exists. */
export function PointMachine({ point: { server_id: id, server_name: name }, tabIndex = 0 }: PointMachineProps) {
  const may = useMay()
  const found = useInstanceNamed(id)
  if (id === null) return null
  const to = may(instances.view.needs) ? instanceResource.paths.view(id) : undefined
  return <OriginName name={name ?? id} found={found} to={to} tabIndex={tabIndex} />
}
