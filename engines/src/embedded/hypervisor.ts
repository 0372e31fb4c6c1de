import type { Duplex, Readable } from 'node:stream'
import type { Dataplane } from '../network-model/wanted'

/*
 * What the embedded engine requires of a hypervisor. There are two implementations: `qemu/` (real machines) and
 * `simulated/` (worlds of 100 000 instances, rare faults). Both pass the same conformance suite. IDs are those of the
 * instance, volume, image and port.
 */

/** A disk as the machine sees it. `path` is never taken from an API request. */
export interface MachineDisk {
  id: string
  path: string
  format: 'qcow2' | 'raw'
  bus: DiskBus
  /** A read-only CD-ROM. */
  cdrom: boolean
  /** The lowest index boots first; null: never booted. */
  bootIndex: number | null
}
export type DiskBus = 'virtio' | 'scsi' | 'ide' | 'sata' | 'usb'

/**
 * A network interface with user-mode NAT. Every machine sees the same subnet from inside. Guests reach what the host
 * reaches, but no address of the host itself. If the hypervisor cannot enforce that (`guestNetwork`), they reach
 * nothing.
 */
export interface MachineNic {
  id: string
  mac: string
  /** IPv4 address that DHCP assigns to the guest, such as `10.0.2.15`; null: chosen by the hypervisor. */
  address: string | null
  /** IPv4 CIDR of the network behind the interface, such as `10.0.2.0/24`. */
  cidr: string
  hostname: string
  /** False: the interface has no connection (a port without a network service). */
  connected: boolean
  /**
   * If set, the interface is plugged into the dataplane, whose port has the same ID. If this host has no dataplane, the
   * interface has no connection, or its own NAT with `orNat`. Only for machines with `onSwitches`.
   */
  port?: { orNat: boolean }
}

/** All that is needed to start a machine. The caller stores it and passes it to every start. */
export interface MachineSpec {
  id: string
  name: string
  vcpus: number
  ramMiB: number
  /** The maximum size that `grow` can reach while it runs; null: it cannot grow. */
  room: MachineSize | null
  firmware: 'bios' | 'uefi'
  /** The guest is Windows. Left out: another system. */
  isWindows?: boolean
  disks: MachineDisk[]
  nics: MachineNic[]
  /**
   * Its process runs next to the switches of the dataplane: interfaces with a `port` are plugged in, others have no
   * connection.
   */
  onSwitches?: boolean
  /** A cloud-init NoCloud seed written by `disks.writeSeed`; attached as a CD-ROM named `cidata`. */
  seed: string | null
}

/** A running machine gets memory in steps of this size, rounded up; MiB. Linux does not accept smaller ones. */
export const MEMORY_STEP_MIB = 4

export interface MachineSize {
  vcpus: number
  ramMiB: number
}

/** The size of a running machine, and how much of it the guest reports to use. */
export interface GrownSize extends MachineSize {
  guest: MachineSize
}

/**
 * `off`: no process and no saved memory. `saved`: memory is in a file (suspended). `crashed`: the process ended
 * although the guest did not power off and nothing requested it.
 */
export type MachineState = 'running' | 'paused' | 'saved' | 'off' | 'crashed'

/** Sent once for each change, requested or not. */
export interface MachineEvent {
  id: string
  state: MachineState
  /** The cause if known, as a message for users: a signal, an exit code, a line of QEMU's stderr. */
  reason: string | null
}

export interface MachineUsage {
  /** Processor time used since the machine's process started, seconds. */
  cpuSeconds: number
  /**
   * Memory that the guest uses, bytes; null if the guest does not report it. The resident memory of the process is no
   * substitute: QEMU keeps every page that the guest has ever touched.
   */
  ramBytes: number | null
  disks: { id: string; readBytes: number; writtenBytes: number; readOps: number; writeOps: number }[]
  nics: { id: string; receivedBytes: number; sentBytes: number }[]
}

export interface Machines {
  /**
   * Starts the machine, or restores it if its memory was saved. Resolves once its vCPUs run. Idempotent: a running
   * machine is left alone.
   */
  start(spec: MachineSpec): Promise<void>
  state(id: string): Promise<MachineState>
  /** All machines in this data folder, including processes adopted from an earlier server. */
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
   * Asks the guest to release the disk, then detaches it. Rejects with `guest_busy` after `timeoutMs` without a
   * response.
   */
  detachDisk(id: string, diskId: string, timeoutMs?: number): Promise<void>
  /** Grows the file of a disk and notifies the running guest. */
  growDisk(id: string, diskId: string, sizeBytes: number): Promise<void>
  /**
   * Grows a running machine to this size, within the `room` of its start. Never shrinks it, so it may be called twice.
   * The guest takes the new size into use on its own; see `size`.
   */
  grow(id: string, size: MachineSize): Promise<void>
  /** Null if the machine is not running. */
  size(id: string): Promise<GrownSize | null>
  attachNic(id: string, nic: MachineNic): Promise<void>
  detachNic(id: string, nicId: string): Promise<void>
  /** Path of the Unix socket of the machine's VNC server. Rejects with `no_console` if it never has one. */
  vncSocket(id: string): Promise<string>
  /**
   * Opens another connection to the machine's serial port, which receives what the guest writes from now on. Rejects
   * like `vncSocket`.
   */
  serialPort(id: string): Promise<Duplex>
  /** The end of the guest's output on its serial port. */
  consoleLog(id: string, tailBytes: number): Promise<Buffer>
  usage(id: string): Promise<MachineUsage | null>
  /** Whether running machines hold their network interfaces on the switches, by port ID. Unknown ones are left out. */
  heldCards(): Promise<Map<string, boolean>>
  /** Kills the machine and removes its own files (log, sockets, saved memory), but not its disks. Idempotent. */
  forget(id: string): Promise<void>
}

export interface DiskFacts {
  format: string
  /** Size that the guest sees, bytes. */
  virtualBytes: number
  /** Disk space that the file takes up, bytes. */
  usedBytes: number
}

/** An upload to accept as an image; sizes in bytes. */
export interface ImageOrder {
  upload: string
  target: string
  /** The format named in the API request: `iso`, `qcow2`, `raw`, `vmdk` ... or `detect`. */
  declared: string
  maxVirtualBytes: number
  /** The maximum size of the file after a conversion. */
  maxBytes: number
  /** Disk space that a conversion leaves free. */
  reserveBytes: number
  /** 0 to 100. */
  onProgress?: (percent: number) => void
  signal?: AbortSignal
}

export interface AcceptedImage extends DiskFacts {
  /** The converted file with its digests in hex; null: the upload was kept unchanged. */
  converted: { sizeBytes: number; md5: string; sha256: string } | null
}

export interface Disks {
  /** Creates an empty disk. Rejects if the file exists. A half-written temporary file of an earlier call is replaced. */
  createBlank(path: string, sizeBytes: number): Promise<void>
  /** Copies `source` in full and grows it to `sizeBytes`, without a backing chain. `onProgress` gets 0–100. */
  createFrom(
    path: string,
    source: string,
    sizeBytes: number,
    onProgress?: (percent: number) => void,
    signal?: AbortSignal,
  ): Promise<void>
  grow(path: string, sizeBytes: number): Promise<void>
  facts(path: string): Promise<DiskFacts>
  remove(path: string): Promise<void>
  /**
   * Checks an uploaded file and stores it at `target` as an image that is safe to run, converted to qcow2 if QEMU
   * cannot run it in place. Rejects with `ImageFault` if it is not an image, is encrypted, refers to a backing file or
   * external data file, exceeds `maxVirtualBytes`, or if there is no space to convert it. Rejects with `OutputTooLarge`
   * if the conversion exceeds `maxBytes`.
   */
  acceptImage(order: ImageOrder): Promise<AcceptedImage>
  /** Inspects the file of a stored image. The result is as if it had just been converted. */
  keptImage(path: string, signal?: AbortSignal): Promise<AcceptedImage>
  /** Writes a NoCloud seed image (label `cidata`) with these files, such as `user-data` and `meta-data`. */
  writeSeed(path: string, files: Record<string, string | Buffer>): Promise<void>
  /** Reads a stored image in the form in which it could be uploaded. */
  read(path: string): Promise<{ stream: Readable; sizeBytes: number }>
  /** Free space where disks are stored, bytes. */
  free(): Promise<number>
}

export type MachineFaultCode = 'not_running' | 'guest_busy' | 'disk_full' | 'no_memory' | 'no_console' | 'failed'

/** An operation on a machine failed. `message` is for users, without paths. */
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
  /** `kvm` only after a guest has run on it. */
  accelerator: 'kvm' | 'tcg' | 'none'
}

export interface Hypervisor {
  readonly kind: 'qemu' | 'simulated'
  readonly host: HostFacts
  readonly machines: Machines
  readonly disks: Disks
  /**
   * Whether machines may differ from their rows at server start. False for a simulated world: its machines do not
   * change while no server runs, and there may be very many.
   */
  readonly settlesAtStart: boolean
  /** State of the guest network: `problem` says what it lacks and why, for operators; null: nothing. */
  guestNetwork(): { problem: string | null }
  /** The networks of this host; null if machines are only simulated. */
  readonly dataplane: Dataplane | null
  /** State of the worker that inspects image files, in the same form. */
  imageWorker(): { problem: string | null }
  /** State of hardware acceleration, in the same form. */
  acceleration(): { problem: string | null }
  /** Calls the listener for every change of a machine. Returns a function that unsubscribes. */
  onEvent(listener: (event: MachineEvent) => void): () => void
  /** Stops watching. Machines keep running. */
  close(): Promise<void>
}

/** Why there is no hypervisor on this host, and what to install. */
export interface HypervisorMissing {
  missing: string[]
  /** Message for users, such as "Install qemu-system-x86 and qemu-utils". */
  advice: string
}
