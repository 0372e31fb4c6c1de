import type { Duplex, Readable } from 'node:stream'
import type { Dataplane } from '../network-model/wanted'

/*
 * What the embedded engine needs of a hypervisor. Two fulfil it: `qemu/` (real machines) and
 * `simulated/` (worlds of 100 000 instances, rare faults). The same conformance suite runs on both.
 * Ids are the ids of the instance, volume, image and port that they stand for.
 */

/** A disk as a machine sees it. `path` never comes from a caller of the API. */
export interface MachineDisk {
  id: string
  path: string
  format: 'qcow2' | 'raw'
  bus: DiskBus
  /** A CD-ROM is read-only and may be empty of meaning to the guest until it looks. */
  cdrom: boolean
  /** Smaller boots first; null never boots. */
  bootIndex: number | null
}
export type DiskBus = 'virtio' | 'scsi' | 'ide' | 'sata' | 'usb'

/**
 * A network card on a user-mode NAT network. Every machine sees the same subnet from inside. Guests reach what the host
 * reaches, but no address of the host itself; nothing at all where the hypervisor cannot hold them back (`guestNetwork`).
 */
export interface MachineNic {
  id: string
  mac: string
  /** IPv4 address that DHCP hands to the guest, e.g. `10.0.2.15`; null leaves it to the hypervisor. */
  address: string | null
  /** IPv4 CIDR of the network behind the card, e.g. `10.0.2.0/24`. */
  cidr: string
  hostname: string
  /** False makes a card without a way out (a port with no network service). */
  connected: boolean
  /**
   * Given: it is plugged into the dataplane, whose wanted port has the card's id. Where this host has no dataplane the
   * card leads nowhere, or with `orNat` to a NAT of its own. Only for machines that are `onSwitches`.
   */
  port?: { orNat: boolean }
}

/** Everything that is needed to start a machine; kept by the caller, given again on every start. */
export interface MachineSpec {
  id: string
  name: string
  vcpus: number
  ramMiB: number
  /** The most that `grow` may make of it while it runs; null: as it starts, so it stays. */
  room: MachineSize | null
  firmware: 'bios' | 'uefi'
  /** Its guest is Windows. Left out: another system. */
  isWindows?: boolean
  disks: MachineDisk[]
  nics: MachineNic[]
  /** Its process runs where the switches of the dataplane are: cards with a `port` are plugged in, others lead nowhere. */
  onSwitches?: boolean
  /** A cloud-init NoCloud seed made by `disks.writeSeed`; attached as a CD-ROM named `cidata`. */
  seed: string | null
}

/** Memory comes to a running machine in pieces of this size, rounded up; MiB. Linux takes no smaller ones. */
export const MEMORY_STEP_MIB = 4

export interface MachineSize {
  vcpus: number
  ramMiB: number
}

/** What a running machine was given, and how much of it its guest says that it has taken into use. */
export interface GrownSize extends MachineSize {
  guest: MachineSize
}

/**
 * `off`: no process and no saved memory. `saved`: memory is in a file (suspended). `crashed`: the
 * process went away without the guest having powered off and without having been told to.
 */
export type MachineState = 'running' | 'paused' | 'saved' | 'off' | 'crashed'

/** Said once for each change, also for one that nobody asked for. */
export interface MachineEvent {
  id: string
  state: MachineState
  /** What is known of why, for people: a signal, an exit code, a line of QEMU's stderr. */
  reason: string | null
}

export interface MachineUsage {
  /** Processor time used since the machine's process started, seconds. */
  cpuSeconds: number
  /**
   * Memory that the guest uses, bytes; null if the guest does not report it. The resident memory of the process is no
   * substitute: QEMU keeps every page that the guest has touched once.
   */
  ramBytes: number | null
  disks: { id: string; readBytes: number; writtenBytes: number; readOps: number; writeOps: number }[]
  nics: { id: string; receivedBytes: number; sentBytes: number }[]
}

export interface Machines {
  /** Starts the machine, or restores it when its memory was saved. Resolves once the guest's processors run. Idempotent: a running machine is left as it is. */
  start(spec: MachineSpec): Promise<void>
  state(id: string): Promise<MachineState>
  /** Every machine that this data folder knows: processes adopted from an earlier server included. */
  known(): Promise<{ id: string; state: MachineState }[]>
  /** Presses the ACPI power button and returns at once; the event says when the guest obeyed. */
  pressPower(id: string): Promise<void>
  /** Ends the process now. Resolves once it is gone. Idempotent. */
  cut(id: string): Promise<void>
  /** The reset button: the guest starts anew, the process stays. */
  reset(id: string): Promise<void>
  pause(id: string): Promise<void>
  unpause(id: string): Promise<void>
  /** Writes the machine's memory to a file and ends its process; state becomes `saved`. */
  suspend(id: string): Promise<void>
  attachDisk(id: string, disk: MachineDisk): Promise<void>
  /** Asks the guest to let go, then takes the disk away; after `timeoutMs` without an answer rejects with `guest_busy`. */
  detachDisk(id: string, diskId: string, timeoutMs?: number): Promise<void>
  /** Tells a running guest that its disk has grown (the file is grown by this call too). */
  growDisk(id: string, diskId: string, sizeBytes: number): Promise<void>
  /**
   * Gives a machine that runs, within the room that it was started with, processors and memory until it has these.
   * Never takes any away, so it may be called twice. The guest takes them into use when it likes; `size` tells.
   */
  grow(id: string, size: MachineSize): Promise<void>
  /** Null where nothing runs. */
  size(id: string): Promise<GrownSize | null>
  attachNic(id: string, nic: MachineNic): Promise<void>
  detachNic(id: string, nicId: string): Promise<void>
  /** Path of the unix socket on which the machine's VNC server listens. Rejects with `no_console` where it never has one. */
  vncSocket(id: string): Promise<string>
  /** One more connection to the machine's serial port, which gets what the guest writes from now on. Rejects likewise. */
  serialPort(id: string): Promise<Duplex>
  /** The end of what the guest wrote to its serial port. */
  consoleLog(id: string, tailBytes: number): Promise<Buffer>
  usage(id: string): Promise<MachineUsage | null>
  /** Whether running machines hold their network cards on switches, by the ids of ports. What cannot be seen is left out. */
  heldCards(): Promise<Map<string, boolean>>
  /** Cuts the machine and removes every file of its own (log, sockets, saved memory); disks are not its own. Idempotent. */
  forget(id: string): Promise<void>
}

export interface DiskFacts {
  format: string
  /** Size that the guest sees, bytes. */
  virtualBytes: number
  /** Space that the file takes, bytes. */
  usedBytes: number
}

/** An upload to be made an image; sizes in bytes. */
export interface ImageOrder {
  upload: string
  target: string
  /** The format that the caller of the API named: `iso`, `qcow2`, `raw`, `vmdk` ... or `detect`. */
  declared: string
  maxVirtualBytes: number
  /** How large the file may get by being converted. */
  maxBytes: number
  /** Space that a conversion leaves free. */
  reserveBytes: number
  /** 0 to 100 */
  onProgress?: (percent: number) => void
  signal?: AbortSignal
}

export interface AcceptedImage extends DiskFacts {
  /** The file as it became, with digests in hex; null where it is what was uploaded. */
  converted: { sizeBytes: number; md5: string; sha256: string } | null
}

export interface Disks {
  /** An empty disk. Refuses to overwrite unless the file is this call's own half-made one (it is written aside and renamed). */
  createBlank(path: string, sizeBytes: number): Promise<void>
  /** A full copy of `source` grown to `sizeBytes`; never a backing chain. `onProgress` gets 0–100. */
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
   * Looks at an uploaded file and makes it an image that is safe to run: refuses what is no image, a
   * backing file or external data file, an encrypted one, a virtual size above `maxVirtualBytes`, a conversion for which
   * there is no space (`ImageFault` says which), converts what QEMU cannot run in place to qcow2. The result is at
   * `target`. A conversion that comes to more than `maxBytes` is stopped: `OutputTooLarge`.
   */
  acceptImage(order: ImageOrder): Promise<AcceptedImage>
  /** What is known of a file that became an image, as if it had been converted just now. */
  keptImage(path: string, signal?: AbortSignal): Promise<AcceptedImage>
  /** A NoCloud seed image (label `cidata`) with the files given, e.g. `user-data`, `meta-data`. */
  writeSeed(path: string, files: Record<string, string | Buffer>): Promise<void>
  /** Bytes of a stored image as an upload would bring them. */
  read(path: string): Promise<{ stream: Readable; sizeBytes: number }>
  /** Space left where disks are kept, bytes. */
  free(): Promise<number>
}

export type MachineFaultCode = 'not_running' | 'guest_busy' | 'disk_full' | 'no_memory' | 'no_console' | 'failed'

/** A machine that could not do what it was told; `message` is for people, without paths. */
export class MachineFault extends Error {
  readonly code: MachineFaultCode
  constructor(code: MachineFaultCode, message: string) {
    super(message)
    this.name = 'MachineFault'
    this.code = code
  }
}

/** What this host can give, as found when the hypervisor was opened. */
export interface HostFacts {
  hostname: string
  cpuModel: string
  cpuCores: number
  ramBytes: number
  hypervisor: string
  version: string
  /** `kvm` only after a guest really ran on it. */
  accelerator: 'kvm' | 'tcg' | 'none'
}

export interface Hypervisor {
  readonly kind: 'qemu' | 'simulated'
  readonly host: HostFacts
  readonly machines: Machines
  readonly disks: Disks
  /**
   * Whether machines may be otherwise than their rows when a server starts. False where a world was only simulated:
   * its machines do nothing while no server runs, and there may be very many.
   */
  readonly settlesAtStart: boolean
  /** How the network of guests stands: `problem` says what it lacks and why, for operators; null: nothing. */
  guestNetwork(): { problem: string | null }
  /** The networks of this host; null where machines are only simulated. */
  readonly dataplane: Dataplane | null
  /** How files of strangers are looked at, likewise. */
  imageWorker(): { problem: string | null }
  /** Whether hardware acceleration does what it should, likewise. */
  acceleration(): { problem: string | null }
  /** Calls back for every change of every machine until the returned function is called. */
  onEvent(listener: (event: MachineEvent) => void): () => void
  /** Stops watching. Machines go on running. */
  close(): Promise<void>
}

/** Why there is no hypervisor here, and what to install. */
export interface HypervisorMissing {
  missing: string[]
  /** For people, e.g. "Install qemu-system-x86 and qemu-utils". */
  advice: string
}
