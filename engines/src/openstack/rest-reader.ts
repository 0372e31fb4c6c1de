import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { Entity } from '../ports/records'
import type { CallOptions, ServiceClient, Query, Service } from './client/service-client'
import { listOf, type OnUnreadableRow } from './client/rows'
import { unreadableIn, type KindReader, type Reading } from './kind-reader'
import { readEach, rowOfEach } from './read-each'

/** A kind of which a service of the cloud has a list, and each row at an address of its own. */
interface RestKind<Wire extends { id: string }, Row extends Entity, Around> {
  /** As in the contract. */
  kind: string
  service: Service
  /** Where rows are: `/networks`; one is below it. */
  path: string
  /** Where they are listed with all that is read of them; `path` unless said. */
  listPath?: string
  /** Names in answers, of the list and of one row: `['networks', 'network']`. Null: one row is the answer itself. */
  key: readonly [list: string, one: string | null]
  /** What is read of one. */
  item: z.ZodType<Wire>
  /** The least microversion that says all of that. */
  version?: string
  /** Of the list. */
  query?: Query
  /** The only fields of a row that the service is to send: what must not be read at all is left out of them. */
  fields?: readonly string[]
  /** How many rows a page has whose list has no links to the next one; it is asked for by where it begins. */
  rowsAtOffset?: number
  /** What else is read for rows: once for all of them, and for one by itself. */
  around?: {
    ofAll(reading: Reading, signal?: AbortSignal): Promise<Around>
    ofOne(reading: Reading, wire: Wire, signal?: AbortSignal): Promise<Around>
  }
  /** The row; null for what is not shown. */
  row(wire: Wire, reading: Reading, around: Around): Row | null | Promise<Row | null>
  /** Never unless said. */
  isBusy?(row: Row): boolean
  isNeverAnnounced?: true
  /** A cloud may be without it, and then has no such list. */
  isOptional?: true
  shownBy?: KindReader<Row>['shownBy']
  shownAs?: KindReader<Row>['shownAs']
}

/** A reader that also reads one row as the cloud tells it. */
export interface RestReader<Wire, Row extends Entity> extends KindReader<Row> {
  /** One row as this caller may see it. Throws `not_found`. */
  one(caller: ServiceClient, id: string, signal?: AbortSignal): Promise<Wire>
}

/** How rows of an ordinary kind are read: the whole list in pages, and one by its id. */
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
