import type { Duplex, Readable } from 'node:stream'
import type { Dataplane } from '../network-model/wanted'
import type { FileReaders } from './file-reader'
import type { HostTierEncryption } from './host-tier-encryption'

/* The interface of the two hypervisors, `qemu/` and `simulated/`. IDs are those of the instance, volume, image or port. */

/** A disk as seen by the machine. `path` never comes from an API request. */
export interface MachineDisk {
  id: string
  path: string
  format: 'qcow2' | 'raw'
  bus: DiskBus
  /** A read-only CD-ROM. */
  cdrom: boolean
  /** The disk with the lowest index boots first; null: not a boot device. */
  bootIndex: number | null
}
export type DiskBus = 'virtio' | 'scsi' | 'ide' | 'sata' | 'usb'

/**
 * A network interface with user-mode NAT. All guests see the same subnet. Guests can reach everything that the host can
 * reach, except the host's own addresses. If the hypervisor cannot enforce this (`guestNetwork`), they cannot reach
 * anything.
 */
export interface MachineNic {
  id: string
  mac: string
  /** IPv4 address that DHCP assigns to the guest, such as `10.0.2.15`; null if the hypervisor chooses it. */
  address: string | null
  /** IPv4 CIDR of the interface's network, such as `10.0.2.0/24`. */
  cidr: string
  hostname: string
  /** False if the interface is not connected (a port without a network service). */
  connected: boolean
  /**
   * If set, the interface is plugged into the dataplane port with the same ID. If this host has no dataplane, the
   * interface is not connected, or uses its own NAT if `orNat` is set. Only for machines with `onSwitches`.
   */
  port?: { orNat: boolean }
}

/** Everything required to start a machine. The caller stores it and passes it to each start. */
export interface MachineSpec {
  id: string
  name: string
  vcpus: number
  ramMiB: number
  /** Maximum size that `grow` can reach while the machine is running; null: it cannot grow. */
  room: MachineSize | null
  firmware: 'bios' | 'uefi'
  /** Whether the guest is Windows. Omitted for other systems. */
  isWindows?: boolean
  disks: MachineDisk[]
  nics: MachineNic[]
  /**
   * The process runs next to the switches of the dataplane: interfaces with a `port` are plugged in, others are not
   * connected.
   */
  onSwitches?: boolean
  /** A cloud-init NoCloud seed written by `disks.writeSeed`; attached as a CD-ROM named `cidata`. */
  seed: string | null
}

/** Memory is added to a running machine in steps of this size, rounded up; MiB. Linux does not accept smaller steps. */
export const MEMORY_STEP_MIB = 4

export interface MachineSize {
  vcpus: number
  ramMiB: number
}

/** The size of a running machine, and how much of it the guest reports using. */
export interface GrownSize extends MachineSize {
  guest: MachineSize
}

/**
 * `off`: no process and no saved memory. `saved`: memory is saved to a file (suspended). `crashed`: the process ended
 * although the guest had not powered off and no stop was requested.
 */
export type MachineState = 'running' | 'paused' | 'saved' | 'off' | 'crashed'

/** Sent once per change, whether requested or not. */
export interface MachineEvent {
  id: string
  state: MachineState
  /** The cause if known, as a message for users: a signal, an exit code or a line of QEMU's stderr. */
  reason: string | null
}

export interface MachineUsage {
  /** Processor time used since the machine's process started, in seconds. */
  cpuSeconds: number
  /**
   * Memory used by the guest, in bytes; null if the guest does not report it. The resident memory of the process is no
   * substitute, because QEMU keeps every page that the guest has ever touched.
   */
  ramBytes: number | null
  disks: { id: string; readBytes: number; writtenBytes: number; readOps: number; writeOps: number }[]
  nics: { id: string; receivedBytes: number; sentBytes: number }[]
}

export interface Machines {
  /**
   * Starts the machine, or restores it if its memory was saved. Resolves once its vCPUs are running. Idempotent: a
   * running machine is left alone.
   */
  start(spec: MachineSpec): Promise<void>
  state(id: string): Promise<MachineState>
  /** Returns all machines in this data folder, including those adopted from an earlier server. */
  known(): Promise<{ id: string; state: MachineState }[]>
  /** Presses the ACPI power button and returns at once. An event reports when the guest has powered off. */
  pressPower(id: string): Promise<void>
  /** Kills the process. Resolves once it is gone. Idempotent. */
  cut(id: string): Promise<void>
  /** Presses the reset button: the guest reboots in the same process. */
  reset(id: string): Promise<void>
  pause(id: string): Promise<void>
  unpause(id: string): Promise<void>
  /** Saves the machine's memory to a file and ends its process. Its state becomes `saved`. */
  suspend(id: string): Promise<void>
  attachDisk(id: string, disk: MachineDisk): Promise<void>
  /**
   * Asks the guest to release the disk, then detaches it. Rejects with `guest_busy` if the guest does not respond
   * within `timeoutMs`.
   */
  detachDisk(id: string, diskId: string, timeoutMs?: number): Promise<void>
  /** Grows the file of a disk and notifies the running guest. */
  growDisk(id: string, diskId: string, sizeBytes: number): Promise<void>
  /**
   * Grows a running machine to this size, within the `room` that it was started with. Never shrinks it, so repeated
   * calls are safe. The guest starts using the new size on its own; see `size`.
   */
  grow(id: string, size: MachineSize): Promise<void>
  /** Returns the size of a running machine, or null if the machine is not running. */
  size(id: string): Promise<GrownSize | null>
  attachNic(id: string, nic: MachineNic): Promise<void>
  detachNic(id: string, nicId: string): Promise<void>
  /** Returns the path of the VNC server's Unix socket. Rejects with `no_console` if the machine never has one. */
  vncSocket(id: string): Promise<string>
  /**
   * Opens another connection to the machine's serial port. It receives everything that the guest writes from then on.
   * Rejects like `vncSocket`.
   */
  serialPort(id: string): Promise<Duplex>
  /** Returns whether the guest agent answers within a few seconds. False if the machine is not running. */
  guestAnswers(id: string): Promise<boolean>
  /** Returns the last `tailBytes` bytes of the guest's serial output. */
  consoleLog(id: string, tailBytes: number): Promise<Buffer>
  usage(id: string): Promise<MachineUsage | null>
  /**
   * Whether running machines have the devices of their network interfaces open, keyed by port ID. Interfaces in an
   * unknown state are omitted.
   */
  heldCards(): Promise<Map<string, boolean>>
  /** Kills the machine and removes its own files (log, sockets, saved memory), but not its disks. Idempotent. */
  forget(id: string): Promise<void>
}

export interface DiskFacts {
  format: string
  /** Size seen by the guest, in bytes. */
  virtualBytes: number
  /** Disk space used by the file, in bytes. */
  usedBytes: number
}

/** An upload to be accepted as an image; sizes in bytes. */
export interface ImageOrder {
  upload: string
  target: string
  /** The format declared in the API request: `iso`, `qcow2`, `raw`, `vmdk` ... or `detect`. */
  declared: string
  maxVirtualBytes: number
  /** Maximum size of the converted file. */
  maxBytes: number
  /** Disk space to leave free during a conversion. */
  reserveBytes: number
  /** Called with a percentage, 0 to 100. */
  onProgress?: (percent: number) => void
  signal?: AbortSignal
}

export interface AcceptedImage extends DiskFacts {
  /** Size and hex digests of the converted file; null if the upload was kept unchanged. */
  converted: { sizeBytes: number; md5: string; sha256: string } | null
}

/** A disk or image, or a snapshot in a disk. */
export type DiskSource = string | { path: string; snapshot: string }

/** A disk whose content is captured. */
export interface CaptureOrder {
  path: string
  /**
   * Path of the new file. The file contains the whole content or, with `since`, only the blocks that were written after
   * that capture.
   */
  target: string
  /** Name of this capture: letters, digits and hyphens. The next capture can name it in `since`. */
  mark: string
  /** Name of the previous capture; null to capture everything. */
  since: string | null
}

export interface CapturedDisks {
  /** Time at which the content was captured. */
  takenAt: Date
  /** One value per disk. False: the whole content was captured, because the previous changes are unknown. */
  isIncremental: boolean[]
  /** Whether the guest agent had frozen the file systems of a running machine at that moment. */
  isFrozen: boolean
}

/** Thrown if a machine starts or stops while its disk is captured. The capture can be retried later. */
export class CaptureInterrupted extends Error {}

export interface Disks {
  /** Creates an empty disk. Rejects if the file exists. Replaces an unfinished temporary file of an earlier call. */
  createBlank(path: string, sizeBytes: number): Promise<void>
  /**
   * Copies all of `source` and grows the copy to `sizeBytes`, without a backing chain. `onProgress` gets 0–100. The copy
   * of a snapshot has exactly this size, which must not be less than that of the snapshot.
   */
  createFrom(
    path: string,
    source: DiskSource,
    sizeBytes: number,
    onProgress?: (percent: number) => void,
    signal?: AbortSignal,
  ): Promise<void>
  grow(path: string, sizeBytes: number): Promise<void>
  /**
   * Keeps the current content of a disk under a name: letters, digits and hyphens. A machine may have the disk open. If
   * the name exists, does nothing. Rejects with `ImageFault` `disk_in_use` if another process has the disk open.
   */
  createSnapshot(path: string, name: string): Promise<void>
  /** Removes a snapshot from a disk, also while a machine has it open. Idempotent. */
  deleteSnapshot(path: string, name: string): Promise<void>
  /**
   * Replaces the content of a disk that no machine has open with a snapshot, including its size. The snapshot is kept.
   * Rejects like `createSnapshot`.
   */
  revertTo(path: string, name: string): Promise<void>
  /**
   * Captures the content of disks. Disks that a running machine has open must all belong to that machine, and are
   * captured at the same moment, while it runs. Replaces files that an interrupted capture left behind. Rejects with
   * `CaptureInterrupted` if the machine starts or ends in the meantime, and otherwise like `createSnapshot`.
   */
  capture(
    disks: readonly CaptureOrder[],
    onProgress?: (percent: number) => void,
    signal?: AbortSignal,
  ): Promise<CapturedDisks>
  /** Creates a disk of this size that is a copy of a chain of captured files, oldest first. */
  assemble(
    path: string,
    files: readonly string[],
    sizeBytes: number,
    onProgress?: (percent: number) => void,
    signal?: AbortSignal,
  ): Promise<void>
  /** Checks the tables of a captured file. Rejects with `ImageFault` if it is damaged. */
  checkCaptured(path: string): Promise<void>
  facts(path: string): Promise<DiskFacts>
  remove(path: string): Promise<void>
  /**
   * Checks an uploaded file and stores it at `target` as an image that is safe to run, converted to qcow2 if QEMU
   * cannot run it in place. Rejects with `ImageFault` if the file is not an image, is encrypted, refers to a backing
   * file or external data file, exceeds `maxVirtualBytes`, or cannot be converted for lack of space. Rejects with
   * `OutputTooLarge` if the converted image exceeds `maxBytes`.
   */
  acceptImage(order: ImageOrder): Promise<AcceptedImage>
  /** Inspects the file of a stored image, and returns the result as if the image had just been converted. */
  keptImage(path: string, signal?: AbortSignal): Promise<AcceptedImage>
  /** Writes a NoCloud seed image (label `cidata`) that contains these files, such as `user-data` and `meta-data`. */
  writeSeed(path: string, files: Record<string, string | Buffer>): Promise<void>
  /** Reads a stored image in a form that can be uploaded again. */
  read(path: string): Promise<{ stream: Readable; sizeBytes: number }>
  /** Returns the free space on the disk storage, in bytes. */
  free(): Promise<number>
  /** Returns the used and the free space on the disk storage, in bytes. */
  space(): Promise<{ used: number; free: number }>
}

export type MachineFaultCode = 'not_running' | 'guest_busy' | 'disk_full' | 'no_memory' | 'no_console' | 'failed'

/** An operation on a machine failed. `message` is for users and contains no paths. */
export class MachineFault extends Error {
  readonly code: MachineFaultCode
  constructor(code: MachineFaultCode, message: string) {
    super(message)
    this.name = 'MachineFault'
    this.code = code
  }
}

/** Properties of this host, read when the hypervisor was opened. */
export interface HostFacts {
  hostname: string
  cpuModel: string
  cpuCores: number
  ramBytes: number
  hypervisor: string
  version: string
  /** `kvm` only after a guest has actually run on it. */
  accelerator: 'kvm' | 'tcg' | 'none'
}

/** Prepares other nodes for machines. Both commands are idempotent, and reject with a message for users. */
export interface OtherNodes {
  join(host: string): Promise<void>
  release(host: string): Promise<void>
}

export interface Hypervisor {
  readonly kind: 'qemu' | 'simulated'
  readonly host: HostFacts
  readonly machines: Machines
  readonly disks: Disks
  readonly tierEncryption: HostTierEncryption
  readonly fileReaders: FileReaders
  /**
   * Whether machines may differ from their rows when the server starts. False for a simulated world, whose machines do
   * not change while no server is running, and which may have very many of them.
   */
  readonly settlesAtStart: boolean
  /** Returns the state of the guest network. `problem` tells operators what is missing and why, or is null. */
  guestNetwork(): { problem: string | null }
  /** The networks of this host; null if it has none. */
  readonly dataplane: Dataplane | null
  /** Additional nodes; null if machines run only on this host. */
  readonly otherNodes: OtherNodes | null
  /** State of the worker that inspects image files, in the same form as `guestNetwork`. */
  imageWorker(): { problem: string | null }
  /** State of hardware acceleration, in the same form as `guestNetwork`. */
  acceleration(): { problem: string | null }
  /** Calls the listener whenever a machine changes. Returns a function that unsubscribes it. */
  onEvent(listener: (event: MachineEvent) => void): () => void
  /** Stops watching. Machines keep running. */
  close(): Promise<void>
}

/** Why this host has no hypervisor, and what to install. */
export interface HypervisorMissing {
  missing: string[]
  /** Message for users, such as "Install qemu-system-x86 and qemu-utils". */
  advice: string
}
