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

/**
 * Every resource of the product: its calls, and its kind where rows of it are in the index. The server's routes, the
 * index, the OpenAPI document, the fuzzer, the isolation test and the engines' conformance are derived from this list.
 */
export const resources = {
  session: { calls: session },
  handOver: { calls: handOver },
  tasks: { kind: taskKind, calls: tasks },
  computeCluster: { calls: computeCluster },
  instances: { kind: instanceKind, calls: instances },
  images: { kind: imageKind, calls: images },
  imageUploads: { calls: imageUploads },
  flavors: { kind: flavorKind, calls: flavors },
  sshKeys: { kind: sshKeyKind, calls: sshKeys },
  serverGroups: { kind: serverGroupKind, calls: serverGroups },
  placements: { kind: placementKind, calls: placements },
  computeNodes: { kind: computeNodeKind, calls: computeNodes },
  quotas: { calls: quotas },
  volumes: { kind: volumeKind, calls: volumes },
  networks: { kind: networkKind, calls: networks },
  subnets: { kind: subnetKind, calls: subnets },
  engines: { calls: engines },
}
type Resources = typeof resources
export type ResourceName = keyof Resources

/** A resource when nothing of its types is known. */
export interface Resource {
  kind?: Kind
  calls: Record<string, Endpoint>
}
const loose = Object.entries(resources as unknown as Record<string, Resource>)

/** Every call of the API, by resource. */
export const allEndpoints = Object.fromEntries(loose.map(([name, { calls }]) => [name, calls])) as {
  [Name in ResourceName]: Resources[Name]['calls']
}

/** Every resource kind by its name in the index. */
export const allKinds: Record<string, Kind> = Object.fromEntries(
  loose.flatMap(([, { kind }]) => (kind ? [[kind.name, kind]] : [])),
)
