import type { Readable } from 'node:stream'
import type * as z from 'zod'
import type { OnUnreadableRow } from './rows'

/** Services of the cloud, by the names of this client; the catalogue's types are a matter of `catalogue.ts`. */
export type Service =
  | 'identity'
  | 'compute'
  | 'image'
  | 'network'
  | 'volume'
  | 'placement'
  | 'load-balancer'
  | 'key-manager'

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

export interface CallOptions {
  query?: Query
  /** Sent as JSON. */
  body?: unknown
  /** Texts of the body that no refusal may repeat. */
  secrets?: readonly string[]
  headers?: Record<string, string>
  /** The least microversion that the call needs, such as `2.73`; the client sends it, and refuses early where the cloud is older. */
  version?: string
  signal?: AbortSignal
  /** Hears of the rows of a list that do not fit, which are left out; without it, one of them is a fault of the whole page. */
  unreadable?: OnUnreadableRow
  /** Of a list: that the service leaves rows out of it is a failure, so that they are not taken for gone. */
  isWhole?: boolean
  /** From the first byte sent to the last one read; 30 s where left out. */
  deadlineMs?: number
}

/**
 * Calls to the cloud with one token. Paths are below the service's versioned root: `/servers/detail`, `/v2` is
 * not part of it. Every answer is read through a schema: what does not fit (an HTML page, half a body) is a fault
 * of the cloud's. Every refusal is a `Problem` of the contract with the cloud's own reason in its message, and in its
 * `data` `service`, `status` and `cloud_request_id`; what cannot be reached within the deadline is `engine_unavailable`.
 * Only reads are sent again after a failure, a few times and with jitter; a command whose token was refused was not
 * done, and is sent once more with a new token. Where the answer to a command was lost, `data.may_have_happened` is true.
 * Ids in paths have to be encoded; a path that leads elsewhere (`..`, `?`) is `not_found` and never asked for.
 */
export interface ServiceClient {
  get<Schema extends z.ZodType>(
    service: Service,
    path: string,
    schema: Schema,
    options?: CallOptions,
  ): Promise<z.output<Schema>>
  /** POST, PUT, PATCH or DELETE; the answer is read through the schema, `z.void()` where it has none or is not wanted. */
  send<Schema extends z.ZodType>(
    verb: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    service: Service,
    path: string,
    schema: Schema,
    options?: CallOptions,
  ): Promise<z.output<Schema>>
  /** All pages of a list, one after the other: `key` is the list's name in the answer (`servers`), `item` its rows' shape. */
  pages<Item extends z.ZodType>(
    service: Service,
    path: string,
    key: string,
    item: Item,
    options?: CallOptions,
  ): AsyncIterable<z.output<Item>[]>
  /**
   * Sends bytes as they come. Never sent twice. Without a deadline it may take as long as the cloud goes on taking them.
   * The stream is closed in the end; when it breaks off itself, its own error is thrown.
   */
  upload(
    verb: 'PUT' | 'PATCH' | 'POST',
    service: Service,
    path: string,
    bytes: Readable,
    options?: CallOptions,
  ): Promise<void>
  /** Bytes as they come, with the length where it was told. A stream that breaks off ends with a Problem, never short. */
  download(
    service: Service,
    path: string,
    options?: CallOptions,
  ): Promise<{ bytes: Readable; sizeBytes: number | null; headers: Headers }>
  /** Whether the cloud offers at least this microversion. */
  offers(service: Service, version: string): Promise<boolean>
  /** Names of extensions or versions are not asked for: whether the catalogue has the service. */
  has(service: Service): Promise<boolean>
}
