import type { Endpoint } from './core/endpoint'
import type { Kind } from './core/kind'
import { taskKind, tasks } from './core/tasks'
import { computeCluster } from './compute/compute-cluster'
import { flavorKind, flavors } from './compute/flavors'
import { imageUploads } from './compute/image-uploads'
import { imageKind, images } from './compute/images'
import { instanceKind, instances } from './compute/instances'
import { computeNodeKind, computeNodes } from './compute/nodes'
import { placementKind, placements } from './compute/placements'
import { quotas } from './compute/quotas'
import { serverGroupKind, serverGroups } from './compute/server-groups'
import { sshKeyKind, sshKeys } from './compute/ssh-keys'
import { handOver } from './identity/hand-over'
import { session } from './identity/session'
import { engines } from './infrastructure/engines'
import { networkKind, networks } from './networking/networks'
import { subnetKind, subnets } from './networking/subnets'
import { volumeKind, volumes } from './storage/volumes'

/** Every call of the API by resource: feeds the OpenAPI document, the fuzzer and the coverage checks. */
export const allEndpoints = {
  session,
  handOver,
  tasks,
  computeCluster,
  instances,
  images,
  imageUploads,
  flavors,
  sshKeys,
  serverGroups,
  placements,
  computeNodes,
  quotas,
  volumes,
  networks,
  subnets,
  engines,
} satisfies Record<string, Record<string, Endpoint>>

/** Every resource kind by its name in the index. */
export const allKinds: Record<string, Kind> = Object.fromEntries(
  [
    ...[instanceKind, imageKind, flavorKind, sshKeyKind, serverGroupKind, placementKind, computeNodeKind],
    ...[volumeKind, networkKind, subnetKind, taskKind],
  ].map((it) => [it.name, it as unknown as Kind]),
)
