import { read } from '@mainstay/contract/core/endpoint'
import { paths } from '../../nav/paths'
import { ImageIcon, InstanceIcon, KeyIcon, NetworkIcon, VolumeIcon } from '../../ui/icons'
import type { MenuGroup } from './menu'

/** In the order of 00-overview section 7. */
export const computeMenu: MenuGroup = {
  label: 'menu.compute',
  service: 'compute',
  entries: [
    { label: 'menu.instances', icon: InstanceIcon, to: paths.instances.list(), needs: read('compute_servers') },
    { label: 'menu.images', icon: ImageIcon, to: paths.images.list(), needs: read('compute_images') },
    { label: 'menu.volumes', icon: VolumeIcon, to: paths.volumes.list(), needs: read('compute_volumes') },
    { label: 'menu.networks', icon: NetworkIcon, to: paths.networks.list(), needs: read('compute_networks') },
    { label: 'menu.sshKeys', icon: KeyIcon, to: paths.sshKeys.list(), needs: read('compute_keys') },
  ],
}
