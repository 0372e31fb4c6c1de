import { read } from '@mainstay/contract/core/endpoint'
import { paths } from '../../nav/paths'
import { InstanceIcon, KeyIcon, NetworkIcon, PlacementIcon, ServerGroupIcon, VolumeIcon } from '../../ui/icons'
import type { MenuGroup } from './menu-group'

/** In the order of 00-overview section 7. Images are not in the menu (S1§2); they are reached from what is made of them. */
export const computeMenu: MenuGroup = {
  label: 'menu.compute',
  service: 'compute',
  entries: [
    { label: 'menu.instances', icon: InstanceIcon, to: paths.instances.list(), needs: read('compute_servers') },
    { label: 'menu.volumes', icon: VolumeIcon, to: paths.volumes.list(), needs: read('compute_volumes') },
    { label: 'menu.networks', icon: NetworkIcon, to: paths.networks.list(), needs: read('compute_networks') },
    {
      label: 'menu.serverGroups',
      icon: ServerGroupIcon,
      to: paths.serverGroups.list(),
      needs: read('compute_server_groups'),
    },
    // who may read nodes gives placements out; everybody else meets them where they may choose them
    { label: 'menu.placements', icon: PlacementIcon, to: paths.placements.list(), needs: read('compute_nodes') },
    { label: 'menu.sshKeys', icon: KeyIcon, to: paths.sshKeys.list(), needs: read('compute_keys') },
  ],
}
