import type { ImageDriver } from './image-format'
import type { ImageContent } from './inspect-image'

/*
 * Protocol between the server and the worker for image files. The worker receives a request as the first line of
 * standard input, the file to read as descriptor 3, and the file to write as descriptor 4. It answers with lines of
 * JSON: progress, then a result or a refusal.
 */

export const readDescriptor = 3
export const writeDescriptor = 4

/** First descriptor of the additional files to read, in the order in which the request names them. */
export const furtherDescriptor = 5

export type SnapshotAct = 'create' | 'delete' | 'revert'

export type WorkerRequest =
  /** Answers immediately, to test whether a worker can run here. */
  | { do: 'nothing' }
  /** Inspects incoming bytes. The beginning, and possibly the end, follow the request on standard input. */
  | {
      do: 'inspect'
      declared: string
      maxVirtualBytes: number
      headBytes: number
      tailBytes: number
      sizeBytes: number | null
    }
  /** Examines a whole file: its headers, then its content and tables with QEMU. */
  | { do: 'examine'; declared: string; maxVirtualBytes: number }
  /** Describes a stored disk or image. `digests` requests the digests of an image, which may be an ISO. */
  | { do: 'facts'; digests: boolean }
  /**
   * Writes a qcow2 file with the same content, or with that of a snapshot in it. `stored` means a stored disk or image,
   * qcow2 or raw.
   */
  | {
      do: 'convert'
      from: ImageDriver | 'stored'
      snapshot: string | null
      atLeastBytes: number
      digests: boolean
    }
  /** Creates, deletes or reverts to a snapshot in the qcow2 disk in descriptor 4. */
  | { do: 'snapshot'; act: SnapshotAct; name: string }
  /**
   * Writes the content of the disk in descriptor 4 to the empty file in descriptor 5: all of it, or only the blocks
   * written since the bitmap `since` was added. From now on, changes are collected in the bitmap `mark`.
   */
  | { do: 'capture'; mark: string; since: string | null }
  /**
   * Writes a disk of this size with the content of a chain of captured files, oldest first. The files are passed as
   * descriptors, starting at 5.
   */
  | { do: 'assemble'; files: number; sizeBytes: number }
  /** Grows the disk in descriptor 4. Never shrinks it. */
  | { do: 'grow'; sizeBytes: number }

/** Digests of a file, in hex. */
export interface Digests {
  md5: string
  sha256: string
}

export interface WorkerResult {
  format: ImageContent
  /** Size of the disk as seen by a guest, in bytes; null until the end of the file is known. */
  virtualBytes: number | null
  digests: Digests | null
  /** Whether only changes were captured. */
  isIncremental?: boolean | undefined
}

export type WorkerAnswer =
  | { progress: number }
  | { result: WorkerResult }
  | { refusal: { code: string; message: string } }
  /** The result exceeded the size limit. */
  | { overflow: true }
