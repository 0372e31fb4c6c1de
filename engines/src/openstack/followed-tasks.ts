import type { Area } from '../ports/area-ports'

/**
 * Names, by area, of the tasks that track a command until its row has settled. The embedded engine uses the same names.
 * The list is static, so that any server can continue any task.
 */
const followedTasks = {
  compute: [
    'compute.image.import',
    'compute.node.join',
    'compute.node.release',
    'compute.server.attach_volume',
    'compute.server.create',
    'compute.server.delete',
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
  ],
  storage: [
    'compute.volume.clone',
    'compute.volume.create',
    'compute.volume.delete',
    'compute.volume.extend',
    'compute.volume.upload_to_image',
    'compute.volume_backup.create',
    'compute.volume_backup.delete',
    'compute.volume_backup.restore',
    'compute.volume_snapshot.create',
    'compute.volume_snapshot.delete',
    'compute.volume_snapshot.revert',
    'compute.volume_snapshot.upload_to_image',
  ],
  networking: [
    'compute.network.create',
    'compute.network.update',
    'compute.port.create',
    'compute.router.add_interface',
    'compute.router.create',
    'compute.router.delete',
    'compute.router.remove_interface',
    'compute.server.attach_interface',
    'compute.server.detach_interface',
  ],
  'load-balancing': [
    'compute.lb_pool.create',
    'compute.lb_pool.delete',
    'compute.lb_pool.update',
    'compute.load_balancer.create',
    'compute.load_balancer.delete',
    'compute.load_balancer.failover',
    'compute.load_balancer.recreate',
    'compute.load_balancer.update',
  ],
  vpn: ['compute.ipsec_site_connection.create', 'compute.ipsec_site_connection.delete'],
} as const satisfies Partial<Record<Area, readonly string[]>>
type Followed = typeof followedTasks
export type FollowedTask = Followed[keyof Followed][number]

export const allFollowedTasks: readonly FollowedTask[] = Object.values(followedTasks).flat()

/** Returns the task names of these areas. */
export const tasksIn = (areas: ReadonlySet<Area>): FollowedTask[] =>
  (Object.keys(followedTasks) as (keyof Followed)[]).flatMap((area) => (areas.has(area) ? followedTasks[area] : []))
