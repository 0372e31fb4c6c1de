import type { Area } from '../ports/area-ports'
import type { KindSource } from '../ports/engine'
import type { FollowedTask } from './followed-tasks'

const feed = (kind: string, area: Area, part: string): KindSource => ({ kind, area, view: 'feed', part })

/** What is read from a cloud, and from which part of it. */
export const cloudKinds: readonly KindSource[] = [
  feed('server', 'compute', 'compute'),
  feed('flavor', 'compute', 'compute'),
  feed('key', 'compute', 'compute'),
  feed('server_group', 'compute', 'compute'),
  feed('placement', 'compute', 'compute'),
  feed('compute_node', 'compute', 'compute'),
  feed('image', 'compute', 'images'),
  feed('volume', 'storage', 'volumes'),
  feed('network', 'networking', 'networks'),
  feed('subnet', 'networking', 'networks'),
]

export const areaOfTask = (name: FollowedTask): Area =>
  name.startsWith('compute.volume.') ? 'storage' : name.endsWith('_interface') ? 'networking' : 'compute'
