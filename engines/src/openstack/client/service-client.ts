import type { Readable } from 'node:stream'
import type * as z from 'zod'
import type { OnUnreadableRow } from './rows'

/** Services of the cloud as this client names them; `catalogue.ts` maps them to catalogue types. */
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
  /** Secrets in the body that must not appear in errors. */
  secrets?: readonly string[]
  headers?: Record<string, string>
  /** Microversion to send, such as `2.73`. The call fails without a request if the cloud does not support it. */
  version?: string
  signal?: AbortSignal
  /** Called for list rows that do not match and are left out; without it, one such row fails the whole page. */
  unreadable?: OnUnreadableRow
  /** For lists: fail if the service truncates the list, so that missing rows are not taken for deleted. */
  isWhole?: boolean
  /** In milliseconds, from the first byte sent to the last one read; 30 s by default. */
  deadlineMs?: number
}

/**
 * Requests to the cloud with tokens of one source. Paths are relative to the versioned root of a service:
 * `/servers/detail`, without `/v2`. Every response is parsed with a schema; a mismatch (an HTML page, half a body)
 * counts as a failure of the cloud. An error response becomes a `Problem` with the cloud's reason as its message and
 * `service`, `status` and `cloud_request_id` in its `data`; a missed deadline or a lost connection becomes
 * `engine_unavailable`. Only reads are retried after a failure, a few times and with jitter. A command rejected for its
 * token was not carried out and is resent once with a new token. If the response to a command is lost,
 * `data.may_have_happened` is true. IDs in paths must be encoded; a path that leads elsewhere (`..`, `?`) throws
 * `not_found` without a request.
 */
export interface ServiceClient {
  get<Schema extends z.ZodType>(
    service: Service,
    path: string,
    schema: Schema,
    options?: CallOptions,
  ): Promise<z.output<Schema>>
  /** Sends a command. Use `z.void()` as the schema if the response has no body or is not needed. */
  send<Schema extends z.ZodType>(
    verb: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    service: Service,
    path: string,
    schema: Schema,
    options?: CallOptions,
  ): Promise<z.output<Schema>>
  /** All pages of a list, in order. `key`: name of the list in the response (`servers`); `item`: schema of a row. */
  pages<Item extends z.ZodType>(
    service: Service,
    path: string,
    key: string,
    item: Item,
    options?: CallOptions,
  ): AsyncIterable<z.output<Item>[]>
  /**
   * Streams bytes to the cloud, without retries. Without a deadline it may take as long as the cloud keeps reading.
   * The stream is always closed in the end; if the stream itself fails, its own error is thrown.
   */
  upload(
    verb: 'PUT' | 'PATCH' | 'POST',
    service: Service,
    path: string,
    bytes: Readable,
    options?: CallOptions,
  ): Promise<void>
  /** Streams a response, with its size if known. A broken connection fails the stream instead of ending it early. */
  download(
    service: Service,
    path: string,
    options?: CallOptions,
  ): Promise<{ bytes: Readable; sizeBytes: number | null; headers: Headers }>
  /** Whether the cloud supports this microversion. */
  offers(service: Service, version: string): Promise<boolean>
  /** Whether the service is in the catalogue; versions and extensions are not checked. */
  has(service: Service): Promise<boolean>
}
