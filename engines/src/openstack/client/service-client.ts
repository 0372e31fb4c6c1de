import type { Readable } from 'node:stream'
import type * as z from 'zod'
import type { OnUnreadableRow } from './rows'

/** Names of the cloud's services in this client; `catalogue.ts` maps them to catalogue types. */
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
  /**
   * Microversion to send, such as `2.73`. If the cloud does not support it, the call fails without sending a request.
   */
  version?: string
  signal?: AbortSignal
  /**
   * Called for each list row that does not match the schema and is skipped. Without it, one such row fails the whole
   * page.
   */
  unreadable?: OnUnreadableRow
  /**
   * For lists: whether to fail if the service truncates the list, so that missing rows are not mistaken for deleted
   * ones.
   */
  isWhole?: boolean
  /** In milliseconds, from the start of the call to the last byte of the response; 30 s by default. */
  deadlineMs?: number
}

/**
 * Sends requests to the cloud with tokens from one source. Paths are relative to the versioned root of a service:
 * `/servers/detail`, without `/v2`. Every response is parsed with a schema; a mismatch (an HTML page, half a body)
 * counts as a failure of the cloud. An error response becomes a `Problem` with the cloud's reason as its message and
 * with `service`, `status` and `cloud_request_id` in its `data`; a missed deadline or a lost connection becomes
 * `engine_unavailable`. Only reads are retried after a failure, a few times and with jitter. A command rejected because
 * of its token was not carried out and is resent once with a new token. If the response to a command is lost,
 * `data.may_have_happened` is true. IDs in paths must be encoded; a path that could leave the service root (`..`, `?`)
 * fails with `not_found`, and no request is sent.
 */
export interface ServiceClient {
  get<Schema extends z.ZodType>(
    service: Service,
    path: string,
    schema: Schema,
    options?: CallOptions,
  ): Promise<z.output<Schema>>
  /** Sends a command. Use `z.void()` as the schema if the response has no body or its body is not used. */
  send<Schema extends z.ZodType>(
    verb: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    service: Service,
    path: string,
    schema: Schema,
    options?: CallOptions,
  ): Promise<z.output<Schema>>
  /**
   * Returns all pages of a list, in order. `key`: name of the list in the response (`servers`); `item`: schema of a
   * row.
   */
  pages<Item extends z.ZodType>(
    service: Service,
    path: string,
    key: string,
    item: Item,
    options?: CallOptions,
  ): AsyncIterable<z.output<Item>[]>
  /**
   * Streams bytes to the cloud, without retries. Without a deadline, it may take as long as the cloud keeps reading.
   * Always closes the stream; if the stream fails, throws its error.
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
