import type { Area } from '../ports/area-ports'

/**
 * Names of the tasks that follow a command until its row has settled, as the embedded engine names the same acts. They
 * are known beforehand, so that a server that takes over knows them all.
 */
export const followedTasks = [
  'compute.image.import',
  'compute.ipsec_site_connection.create',
  'compute.ipsec_site_connection.delete',
  'compute.lb_pool.create',
  'compute.lb_pool.delete',
  'compute.lb_pool.update',
  'compute.load_balancer.create',
  'compute.load_balancer.delete',
  'compute.load_balancer.failover',
  'compute.load_balancer.recreate',
  'compute.load_balancer.update',
  'compute.network.create',
  'compute.network.update',
  'compute.port.create',
  'compute.router.add_interface',
  'compute.router.create',
  'compute.router.delete',
  'compute.router.remove_interface',
  'compute.server.attach_interface',
  'compute.server.attach_volume',
  'compute.server.create',
  'compute.server.delete',
  'compute.server.detach_interface',
  'compute.server.detach_volume',
  'compute.server.evacuate',
  'compute.server.migrate',
  'compute.server.pause',
  'compute.server.reboot',
  'compute.server.rescue',
  'compute.server.resize',
  'compute.server.resume',
  'compute.server.shelve',
  'compute.server.start',
  'compute.server.stop',
  'compute.server.stop_migration',
  'compute.server.suspend',
  'compute.server.unpause',
  'compute.server.unrescue',
  'compute.server.unshelve',
  'compute.volume.clone',
  'compute.volume.create',
  'compute.volume.delete',
  'compute.volume.extend',
  'compute.volume.upload_to_image',
] as const
export type FollowedTask = (typeof followedTasks)[number]

export const areaOfTask = (name: FollowedTask): Area =>
  name.startsWith('compute.volume.')
    ? 'storage'
    : /^compute\.(lb_pool|load_balancer)\./.test(name)
      ? 'load-balancing'
      : name.startsWith('compute.ipsec_site_connection.')
        ? 'vpn'
        : /^compute\.(network|port|router)\.|_interface$/.test(name)
          ? 'networking'
          : 'compute'
