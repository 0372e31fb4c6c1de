import type { Duplex, Readable } from 'node:stream'
import type { ComputeStat } from '@mainstay/contract/compute/compute-cluster'
import type { ComputeNodeStatistics } from '@mainstay/contract/compute/node-statistics'
import type { ComputeNode, ComputeNodeRole } from '@mainstay/contract/compute/nodes'
import type { Image, ImageChange, ImageDraft } from '@mainstay/contract/compute/images'
import type {
  ConsoleProtocol,
  Instance,
  InstanceChange,
  InstanceDraft,
  InstanceStat,
} from '@mainstay/contract/compute/instances'
import type {
  Placement,
  PlacementCarrier,
  PlacementChange,
  PlacementDraft,
} from '@mainstay/contract/compute/placements'
import type { SshKey, SshKeyDraft } from '@mainstay/contract/compute/ssh-keys'
import type { UsualPort } from './plain'
import type { ProjectScope, Scope } from './scope'
import type { Secret } from './secret'
import type { RecycleHow } from './storage'

/*
 * Commands for instances and the resources they use. A command returns the resource as the engine currently sees it,
 * often in a transitional status; later changes arrive through the engine's feed or records. Commands throw a `Problem`
 * from the contract: `not_found` if the resource does not exist or belongs to another project, `invalid_state` if its
 * state does not allow the command, and `unsupported` if the engine cannot run the command.
 */

export interface InstancesPort {
  /**
   * Creates 1 to 20 instances in the BUILD status, all or none. Throws a `quota_exceeded` or `no_valid_host` error, or
   * a `validation` error on the draft fields.
   */
  create(scope: ProjectScope, draft: InstanceDraft, event?: string | null): Promise<Instance[]>
  update(scope: Scope, id: string, change: InstanceChange): Promise<Instance>
  /** If `deleteVolumes` is null, the volumes with `delete_on_termination` are deleted. */
  delete(scope: Scope, id: string, deleteVolumes: string[] | null): Promise<Instance>
  /**
   * Like `delete`, but moves the instance and these volumes to the recycle bin. They appear there immediately, while
   * the instance is powered off in the background. An instance whose build failed is deleted instead. Throws an
   * `unsupported` error if the engine has no recycle bin.
   */
  recycle(scope: Scope, id: string, deleteVolumes: string[] | null, how: RecycleHow): Promise<Instance>
  start(scope: Scope, id: string): Promise<Instance>
  /** Powers the instance off if the guest has not shut down after `timeoutSeconds`; -1 waits indefinitely. */
  stop(scope: Scope, id: string, how: { hard: boolean; timeoutSeconds: number }): Promise<Instance>
  cancelStop(scope: Scope, id: string): Promise<Instance>
  reboot(scope: Scope, id: string, how: { hard: boolean }): Promise<Instance>
  suspend(scope: Scope, id: string): Promise<Instance>
  resume(scope: Scope, id: string): Promise<Instance>
  pause(scope: Scope, id: string): Promise<Instance>
  unpause(scope: Scope, id: string): Promise<Instance>
  /**
   * Powers the instance off and releases its vCPUs and memory from the quota and the node (I2). Its volumes and
   * addresses are kept.
   */
  shelve(scope: Scope, id: string): Promise<Instance>
  /**
   * Allocates vCPUs and memory again and powers the instance on. Throws a `quota_exceeded` or `no_valid_host` error.
   */
  unshelve(scope: Scope, id: string): Promise<Instance>
  /**
   * Boots the instance from an image, with its own disks attached, until `unrescue` or power-off. If `imageId` is null,
   * uses the image that the instance was created from. Throws a `validation` error on the `image_id` field.
   */
  rescue(scope: Scope, id: string, imageId: string | null): Promise<Instance>
  unrescue(scope: Scope, id: string): Promise<Instance>
  /**
   * Resizes an instance that is shut down, or a running instance that allows live resize. A live resize beyond the
   * headroom throws a `live_resize_limit` error. With `restart`, a running instance is stopped, resized and started.
   */
  resize(scope: Scope, id: string, flavorId: string, how: { restart: boolean }): Promise<Instance>
  /**
   * Sets the password through the guest agent. Throws a `guest_agent_unavailable` error if the agent does not respond.
   */
  setPassword(scope: Scope, id: string, password: Secret): Promise<Instance>
  /**
   * Migrates the instance to the named node, or to a node chosen by the cloud if null. A running instance is migrated
   * live unless `cold` is set; a cold migration shuts it down for the duration. Throws a `no_valid_host` error.
   */
  migrate(scope: Scope, id: string, how: { node: string | null; cold: boolean }): Promise<Instance>
  stopMigration(scope: Scope, id: string): Promise<Instance>
  /** Rebuilds the instance on another node from its volumes. Throws a `no_valid_host` error. */
  evacuate(scope: Scope, id: string, node: string | null): Promise<Instance>
  resetState(scope: Scope, id: string, state: 'active' | 'error' | null): Promise<Instance>
  attachVolume(scope: Scope, id: string, volumeId: string, deleteOnTermination: boolean): Promise<Instance>
  detachVolume(scope: Scope, id: string, volumeId: string): Promise<Instance>
  setTag(scope: Scope, id: string, tag: string): Promise<Instance>
  removeTag(scope: Scope, id: string, tag: string): Promise<Instance>
  /**
   * Adds or replaces metadata entries and keeps all other entries. Throws a `quota_exceeded` error above the limit per
   * instance.
   */
  setMetadata(scope: Scope, id: string, metadata: Record<string, string>): Promise<Instance>
  /** Throws a `not_found` error if the instance has no such entry. */
  removeMetadata(scope: Scope, id: string, key: string): Promise<Instance>
  /**
   * Opens a live connection to the display of the instance (RFB), or to its first serial port (guest output and
   * keyboard input). Several connections can be open at the same time. Throws a `console_unavailable` error.
   */
  openConsole(scope: Scope, id: string, protocol: ConsoleProtocol): Promise<ConsoleConnection>
  /**
   * Returns the end of the serial output; empty if the guest never wrote any. Throws a `console_unavailable` error if
   * the engine does not keep the output of instances that are shut down.
   */
  consoleLog(scope: Scope, id: string, tailBytes: number): Promise<Buffer>
  /** Whether the guest agent answers now. False if the engine cannot reach it. */
  guestAnswers(scope: Scope, id: string): Promise<boolean>
  stat(scope: Scope, id: string): Promise<InstanceStat>
}

/** A bidirectional byte stream for a display or serial port. */
export interface ConsoleConnection {
  stream: Duplex
  close(): void
}

export interface ImagesPort {
  /**
   * Stores the bytes. Once they are durable, resolves to an image that is `active`, or `importing` while it is
   * inspected. An aborted stream leaves nothing behind. Throws an `image_*`, `disk_full` or `quota_exceeded` error.
   */
  create(scope: ProjectScope, draft: ImageDraft, bytes: Readable): Promise<Image>
  update(scope: Scope, id: string, change: ImageChange): Promise<Image>
  delete(scope: Scope, id: string): Promise<void>
  download(
    scope: Scope,
    id: string,
  ): Promise<{ bytes: Readable; sizeBytes: number; md5: string | null; fileName: string }>
}

export type FlavorsPort = UsualPort<'compute'>['flavors']
export type ServerGroupsPort = UsualPort<'compute'>['serverGroups']

export interface SshKeysPort {
  create(scope: ProjectScope, draft: SshKeyDraft): Promise<SshKey>
  delete(scope: ProjectScope, id: string): Promise<void>
}

export interface PlacementsPort {
  create(scope: Scope, draft: PlacementDraft): Promise<Placement>
  /** Updates a placement. Running instances stay on their nodes, even if the change no longer allows them there. */
  update(scope: Scope, id: string, change: PlacementChange): Promise<Placement>
  /** Throws an `in_use` error that lists the carriers and instances. */
  delete(scope: Scope, id: string): Promise<void>
  /** Assigns the placement to all of these carriers, or to none. Throws a `validation` error on the `ids` field. */
  assign(scope: Scope, id: string, carrier: PlacementCarrier, ids: string[]): Promise<Placement>
  /** Throws a `not_found` error if the carrier does not have the placement. */
  withdraw(scope: Scope, id: string, carrier: PlacementCarrier, carrierId: string): Promise<Placement>
}

/** Options for releasing a node from compute. `event` is recorded with the task. */
export interface NodeRelease {
  event: string | null
}
/** Options for adding a node to compute. */
export interface NodeOrder extends NodeRelease {
  roles: ComputeNodeRole[]
}

export interface ComputeNodesPort {
  /**
   * Adds a node to compute. It is `joining` until a task has completed. Throws an `invalid_state` error, or
   * `engine_one_node` if this engine has only one node.
   */
  join(scope: Scope, id: string, order: NodeOrder): Promise<ComputeNode>
  /**
   * Releases a node that has no instances. It is `releasing` until a task has completed; if the task fails, the node
   * is `up` again. Throws an `in_use`, `invalid_state` or `engine_one_node` error.
   */
  release(scope: Scope, id: string, order: NodeRelease): Promise<ComputeNode>
  /**
   * Stops scheduling instances on a node, and treats the node as down. Throws an `in_use` error if its instances could
   * not run elsewhere, and `invalid_state` if it is released, joining or releasing. `keepsMachines`: the node counts as
   * up, so that its instances keep running and can be moved.
   */
  fence(scope: Scope, id: string, reason: string, how?: { keepsMachines: boolean }): Promise<ComputeNode>
  unfence(scope: Scope, id: string): Promise<ComputeNode>
  /** Returns the capacity and load of all nodes, by ID. */
  statistics(scope: Scope): Promise<ReadonlyMap<string, ComputeNodeStatistics>>
  /** Creates the compute cluster from these nodes, all if none are given. Returns the ID of the task. */
  createCluster(scope: Scope, nodes: string[]): Promise<string>
  /** Removes the compute cluster. Returns the ID of the task. Throws an `in_use` error if it has instances or volumes. */
  deleteCluster(scope: Scope): Promise<string>
}

export interface ComputePort extends UsualPort<'compute'> {
  instances: InstancesPort
  images: ImagesPort
  sshKeys: SshKeysPort
  placements: PlacementsPort
  nodes: ComputeNodesPort
  stat(scope: Scope): Promise<Omit<ComputeStat, 'storage'>>
}

declare module './area-ports' {
  interface OwnPorts {
    compute: ComputePort
  }
}
