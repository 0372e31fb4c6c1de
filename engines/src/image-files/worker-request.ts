import type { ImageDriver } from './image-format'
import type { ImageContent } from './inspect-image'

/*
 * What the server and the worker for image files say to each other. The worker gets a request as the first line of its
 * standard input, the file that it reads as descriptor 3, and the one that it writes as descriptor 4. It answers lines
 * of JSON: progress, and at last a result or a refusal.
 */

export const readDescriptor = 3
export const writeDescriptor = 4

export type WorkerRequest =
  /** Answers at once: whether a worker can run here. */
  | { do: 'nothing' }
  /** Bytes that come in, of which the beginning and perhaps the end follow the request on the standard input. */
  | {
      do: 'inspect'
      declared: string
      maxVirtualBytes: number
      headBytes: number
      tailBytes: number
      sizeBytes: number | null
    }
  /** A whole file: its headers, then QEMU's own view of it and of its tables. */
  | { do: 'examine'; declared: string; maxVirtualBytes: number }
  /** What is known of a disk or an image that is kept; with `digests` of an image, which may be an ISO. */
  | { do: 'facts'; digests: boolean }
  /** Writes a qcow2 with the same content. `stored`: a disk or image that is kept, qcow2 or raw. */
  | { do: 'convert'; from: ImageDriver | 'stored'; atLeastBytes: number; digests: boolean }
  /** Makes the disk in descriptor 4 larger; never smaller. */
  | { do: 'grow'; sizeBytes: number }

/** Of the bytes of a file, in hex. */
export interface Digests {
  md5: string
  sha256: string
}

export interface WorkerResult {
  format: ImageContent
  /** The size of the disk that a guest sees, bytes; null where the end of the file has yet to tell. */
  virtualBytes: number | null
  digests: Digests | null
}

export type WorkerAnswer =
  | { progress: number }
  | { result: WorkerResult }
  | { refusal: { code: string; message: string } }
  /** More came out than was allowed. */
  | { overflow: true }
