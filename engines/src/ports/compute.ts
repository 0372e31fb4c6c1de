import type { Duplex, Readable } from 'node:stream'
import type { ComputeStat } from '@mainstay/contract/compute/compute-cluster'
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
 * What a cloud must be able to do with instances and what they are made of. Commands answer the resource as the
 * engine sees it then, often in a transitional status; what follows arrives by the engine's view. A command on
 * what is not there, or not in the caller's project, throws `not_found`; in a state that does not allow it
 * `invalid_state`; one that this engine can never do `unsupported`. All throw `Problem` of the contract.
 */

export interface InstancesPort {
  /** One to twenty instances in BUILD; all or none. Throws `quota_exceeded`, `no_valid_host`, `validation` with the draft's fields. */
  create(scope: ProjectScope, draft: InstanceDraft, event?: string | null): Promise<Instance[]>
  update(scope: Scope, id: string, change: InstanceChange): Promise<Instance>
  /** `deleteVolumes` null: those flagged delete_on_termination. */
  delete(scope: Scope, id: string, deleteVolumes: string[] | null): Promise<Instance>
  /**
   * As `delete`, but into the recycle bin: the row and those of the volumes that go with it are in the bin at once, and the
   * machine is switched off behind the answer. What was never made is deleted. Throws `unsupported` where there is no bin.
   */
  recycle(scope: Scope, id: string, deleteVolumes: string[] | null, how: RecycleHow): Promise<Instance>
  start(scope: Scope, id: string): Promise<Instance>
  /** `timeoutSeconds` -1 waits for ever; after it the power is cut. */
  stop(scope: Scope, id: string, how: { hard: boolean; timeoutSeconds: number }): Promise<Instance>
  cancelStop(scope: Scope, id: string): Promise<Instance>
  reboot(scope: Scope, id: string, how: { hard: boolean }): Promise<Instance>
  suspend(scope: Scope, id: string): Promise<Instance>
  resume(scope: Scope, id: string): Promise<Instance>
  pause(scope: Scope, id: string): Promise<Instance>
  unpause(scope: Scope, id: string): Promise<Instance>
  /** Switches off and gives up vCPUs and memory, of the quota and of the node (I2). Volumes and addresses stay. */
  shelve(scope: Scope, id: string): Promise<Instance>
  /** Takes them up again and powers on. Throws `quota_exceeded`, `no_valid_host`. */
  unshelve(scope: Scope, id: string): Promise<Instance>
  /**
   * Boots from an image, with the instance's own disks behind it, until `unrescue` or until it is switched off.
   * `imageId` null: the image that it was made of. Throws `validation` with the field `image_id`.
   */
  rescue(scope: Scope, id: string, imageId: string | null): Promise<Instance>
  unrescue(scope: Scope, id: string): Promise<Instance>
  /**
   * One that is off, or one that runs and allows it: it is then given more while it runs, and `live_resize_limit` is
   * thrown for what it has no room for. With `restart` one that runs is switched off, and on again with the flavor.
   */
  resize(scope: Scope, id: string, flavorId: string, how: { restart: boolean }): Promise<Instance>
  /** Through an agent in the guest. Throws `guest_agent_unavailable` where none answers. */
  setPassword(scope: Scope, id: string, password: Secret): Promise<Instance>
  /**
   * To a node of that name, or null: to one that the cloud chooses. Live where it runs and `cold` is false; otherwise it
   * is off meanwhile. Throws `no_valid_host`.
   */
  migrate(scope: Scope, id: string, how: { node: string | null; cold: boolean }): Promise<Instance>
  stopMigration(scope: Scope, id: string): Promise<Instance>
  /** Starts it on another node, from its volumes. Throws `no_valid_host`. */
  evacuate(scope: Scope, id: string, node: string | null): Promise<Instance>
  resetState(scope: Scope, id: string, state: 'active' | 'error' | null): Promise<Instance>
  attachVolume(scope: Scope, id: string, volumeId: string, deleteOnTermination: boolean): Promise<Instance>
  detachVolume(scope: Scope, id: string, volumeId: string): Promise<Instance>
  setTag(scope: Scope, id: string, tag: string): Promise<Instance>
  removeTag(scope: Scope, id: string, tag: string): Promise<Instance>
  /** Adds and replaces words; others stay. Throws `quota_exceeded` above the most that an instance has. */
  setMetadata(scope: Scope, id: string, metadata: Record<string, string>): Promise<Instance>
  /** Throws `not_found` where the instance has no such word. */
  removeMetadata(scope: Scope, id: string, key: string): Promise<Instance>
  /**
   * A live connection to the instance's screen (RFB bytes both ways), or to its first serial port (what the guest
   * writes, and what is typed). Several may be open at once. Throws `console_unavailable`.
   */
  openConsole(scope: Scope, id: string, protocol: ConsoleProtocol): Promise<ConsoleConnection>
  /**
   * The end of the serial output, empty where the guest never wrote. Throws `console_unavailable` where the engine
   * tells none of an instance that is off.
   */
  consoleLog(scope: Scope, id: string, tailBytes: number): Promise<Buffer>
  stat(scope: Scope, id: string): Promise<InstanceStat>
}

/** The bytes of a screen or of a serial port, both ways. */
export interface ConsoleConnection {
  stream: Duplex
  close(): void
}

export interface ImagesPort {
  /**
   * Takes the bytes and answers when all of them are safely kept, with the image `importing` while it is looked
   * at, or `active`. A stream that breaks off leaves nothing behind. Throws `image_*`, `disk_full`, `quota_exceeded`.
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
  /** Instances stay where they are, whatever is said of their nodes from now on. */
  update(scope: Scope, id: string, change: PlacementChange): Promise<Placement>
  /** Throws `in_use` with what has it. */
  delete(scope: Scope, id: string): Promise<void>
  /** Lets all of these carry it, or none. Throws `validation` with the field `ids`. */
  assign(scope: Scope, id: string, carrier: PlacementCarrier, ids: string[]): Promise<Placement>
  /** Throws `not_found` where it does not carry the placement. */
  withdraw(scope: Scope, id: string, carrier: PlacementCarrier, carrierId: string): Promise<Placement>
}

export interface ComputePort extends UsualPort<'compute'> {
  instances: InstancesPort
  images: ImagesPort
  sshKeys: SshKeysPort
  placements: PlacementsPort
  stat(scope: Scope): Promise<Omit<ComputeStat, 'storage'>>
}

declare module './area-ports' {
  interface OwnPorts {
    compute: ComputePort
  }
}
