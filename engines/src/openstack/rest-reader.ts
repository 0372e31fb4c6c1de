import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { Entity } from '../ports/records'
import type { CallOptions, ServiceClient, Query, Service } from './client/service-client'
import { listOf, type OnUnreadableRow } from './client/rows'
import { unreadableIn, type KindReader, type Reading } from './kind-reader'
import { readEach, rowOfEach } from './read-each'

/** A kind for which a service of the cloud has a list, and a path for each row. */
interface RestKind<Wire extends { id: string }, Row extends Entity, Around> {
  /** Name of the kind in the contract. */
  kind: string
  service: Service
  /** Path of the list: `/networks`. The paths of rows are below it. */
  path: string
  /** Path of the list with all required fields, if different from `path`. */
  listPath?: string
  /**
   * Envelope names in responses, for the list and for one row: `['networks', 'network']`. Null: one row has no
   * envelope.
   */
  key: readonly [list: string, one: string | null]
  /** Schema of one row. */
  item: z.ZodType<Wire>
  /** Lowest microversion with all required fields. */
  version?: string
  /** Query for the list. */
  query?: Query
  /** Limits the fields that the service returns, so that secrets are never received. */
  fields?: readonly string[]
  /** Page size, if the list has no paging links and is read by offset. */
  rowsAtOffset?: number
  /** Related data, read once for all rows or for a single row. */
  around?: {
    ofAll(reading: Reading, signal?: AbortSignal): Promise<Around>
    ofOne(reading: Reading, wire: Wire, signal?: AbortSignal): Promise<Around>
  }
  /** Builds the row; null if it is not shown. */
  row(wire: Wire, reading: Reading, around: Around): Row | null | Promise<Row | null>
  /** Whether the row is changing its state. Default: false. */
  isBusy?(row: Row): boolean
  isNeverAnnounced?: true
  /** The list may be missing in some clouds. */
  isOptional?: true
  shownBy?: KindReader<Row>['shownBy']
  shownAs?: KindReader<Row>['shownAs']
}

/** A reader that can also return a single row in the cloud's own format. */
export interface RestReader<Wire, Row extends Entity> extends KindReader<Row> {
  /** Reads one row as this caller sees it. Throws `not_found`. */
  one(caller: ServiceClient, id: string, signal?: AbortSignal): Promise<Wire>
}

/** Creates a reader for a regular REST kind. It reads the whole list page by page, and individual rows by ID. */
export function restReader<Wire extends { id: string }, Row extends Entity, Around = undefined>(
  rest: RestKind<Wire, Row, Around>,
): RestReader<Wire, Row> {
  const { kind, service, path, item, version, query, isBusy = () => false, isNeverAnnounced, shownBy, shownAs } = rest
  const [list, one] = rest.key
  const listPath = rest.listPath ?? path
  const only: Query | undefined = rest.fields && { fields: rest.fields }
  const optionsOf = (signal: AbortSignal | undefined, more: Query = {}): CallOptions => ({
    ...(version !== undefined && { version }),
    query: { ...query, ...only, ...more },
    ...(signal && { signal }),
  })

  async function readOne(caller: ServiceClient, id: string, signal?: AbortSignal): Promise<Wire> {
    const shape = one === null ? item : z.object({ [one]: item }).transform((answer) => answer[one] as Wire)
    const options = {
      ...(version !== undefined && { version }),
      ...(signal && { signal }),
      ...(only && { query: only }),
    }
    return caller.get(service, `${path}/${encodeURIComponent(id)}`, shape, options)
  }

  async function* pagesAtOffset(reading: Reading, rows: number, signal?: AbortSignal): AsyncIterable<Wire[]> {
    let left = 0
    const tell = unreadableIn(reading, list)
    const leaveOut: OnUnreadableRow | undefined = tell && ((row) => (left++, tell(row)))
    const shape = z.object({ [list]: listOf(item, leaveOut) })
    for (let offset = 0; ; offset += rows) {
      left = 0
      const options = optionsOf(signal, { limit: rows, offset })
      const page = (await reading.caller.get(service, listPath, shape, options))[list] as Wire[]
      yield page
      if (page.length + left < rows) return
    }
  }

  async function* wholeList(reading: Reading, signal?: AbortSignal): AsyncIterable<Wire[]> {
    try {
      yield* rest.rowsAtOffset === undefined
        ? reading.caller.pages(service, listPath, list, item, optionsOf(signal))
        : pagesAtOffset(reading, rest.rowsAtOffset, signal)
    } catch (error) {
      const isMissing = error instanceof Problem && error.code === 'not_found'
      if (!rest.isOptional || !isMissing) throw error
    }
  }

  return {
    kind,
    service,
    list,
    one: readOne,
    isBusy,
    ...(isNeverAnnounced && { isNeverAnnounced }),
    ...(shownBy && { shownBy }),
    ...(shownAs && { shownAs }),

    async *all(reading, signal) {
      const around = (await rest.around?.ofAll(reading, signal)) as Around
      for await (const page of wholeList(reading, signal)) {
        const rows = await rowOfEach(reading, list, page, (wire) => rest.row(wire, reading, around))
        yield rows.filter((row) => row !== null)
      }
    },

    some: (reading, ids, signal) =>
      readEach(
        ids,
        async (id) => {
          const wire = await readOne(reading.caller, id, signal)
          return rest.row(wire, reading, (await rest.around?.ofOne(reading, wire, signal)) as Around)
        },
        unreadableIn(reading, list),
      ),
  }
}
