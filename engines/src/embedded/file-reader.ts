/*
 * Reads the files on disks whose content may be malicious. A reader is a machine of its own, without a network, whose only
 * channel is a serial port. Names and paths are bytes.
 */

/** The guest that reads: its initial file system, with the kernel beside it (`.kernel`). */
export interface ReaderGuest {
  image: string
  /** Builds the guest if it is missing. */
  script: string
}

export interface ReaderOrder {
  /** Folder of the reader, which contains the files of the disk and nothing else. It is removed by the caller. */
  folder: string
  /** Names of the files of the disk in `folder`: the first is complete, each other one has changes to the one before it. */
  chain: readonly string[]
  sizeBytes: number
  /** Null: the hypervisor is simulated. */
  guest: ReaderGuest | null
  /** How long the start and the search for file systems may take, and each request after that, in milliseconds. */
  limits: { startMs: number; requestMs: number }
  signal: AbortSignal
}

export interface FoundFileSystem {
  /** `disk`, a partition (`part1`) or a logical volume (`vg0/data`). */
  id: string
  label: Buffer
  type: string
  sizeBytes: number
  usedBytes: number | null
  state: 'readable' | 'no_driver' | 'encrypted' | 'damaged'
}

export interface FoundFile {
  /** Relative to the folder that was listed; empty for that folder or file itself. */
  name: Buffer
  kind: 'file' | 'folder' | 'link' | 'other'
  sizeBytes: number
  /** Seconds since 1970. */
  modified: number
  owner: number
  linkTarget: Buffer
}

export interface Found {
  files: FoundFile[]
  /** Whether there is more, which did not fit in the answer. */
  isCut: boolean
}

/** What a reader answers with the bytes of a file at most. */
export const READ_BYTES = 4 * 1024 * 1024
/** Offsets are multiples of this. */
export const READ_BLOCK = 64 * 1024

/** `missing`: no such file, or a link is on its way. `unreadable`: the file system, or the guest, failed. */
export class ReaderFault extends Error {
  readonly code: 'missing' | 'unreadable'
  constructor(code: 'missing' | 'unreadable', message: string = code) {
    super(message)
    this.name = 'ReaderFault'
    this.code = code
  }
}

/** An open reader. Calls reject with a `ReaderFault`. A call that takes too long ends the reader. */
export interface FileReader {
  readonly fileSystems: readonly FoundFileSystem[]
  /** The file, folder or link itself, without a name. */
  stat(fileSystem: string, path: Buffer): Promise<Found>
  /** Entries of a folder in the order of the file system. Links are neither followed nor part of a path. */
  list(fileSystem: string, path: Buffer): Promise<Found>
  /** A file or folder with everything in it. */
  tree(fileSystem: string, path: Buffer): Promise<Found>
  /** At most `READ_BYTES` from an offset of the file; fewer only at its end. */
  read(fileSystem: string, path: Buffer, offset: number): Promise<Buffer>
  /** Resolves once the reader has ended, for whatever reason. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export interface FileReaders {
  /** Rejects with a `ReaderFault` if the disk could not be searched in time, and with the reason if nothing started. */
  open(order: ReaderOrder): Promise<FileReader>
}
