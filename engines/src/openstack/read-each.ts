import { Problem } from '@mainstay/contract/core/problems'
import pLimit from 'p-limit'
import { InvalidResponse } from './client/problems'
import type { OnUnreadableRow } from './client/rows'
import { unreadableIn, type Reading } from './kind-reader'

const atOnce = 8

/**
 * Reads each ID, several in parallel, and returns the results in order, with null for rows that are gone. Unreadable
 * rows are reported to `unreadable` and returned as null; without it, they throw.
 */
export async function readEach<Found>(
  ids: readonly string[],
  read: (id: string) => Promise<Found>,
  unreadable?: OnUnreadableRow,
): Promise<Map<string, Found | null>> {
  const inTurn = pLimit({ concurrency: atOnce, rejectOnClear: true })
  const readOne = (id: string) => unlessUnreadable(id, unlessGone(read(id)), unreadable)
  try {
    return new Map(await inTurn.map(new Set(ids), async (id) => [id, await readOne(id)] as const))
  } finally {
    // skip the queued reads after a failure
    inTurn.clearQueue()
  }
}

/** Builds the rows. Reports those that cannot be built and leaves them out. */
export async function rowOfEach<Wire extends { id: string }, Row>(
  reading: Reading,
  list: string,
  wires: readonly Wire[],
  rowOf: (wire: Wire) => Row | Promise<Row>,
): Promise<Row[]> {
  const unreadable = unreadableIn(reading, list)
  const rows = await Promise.all(
    wires.map((wire) => unlessUnreadable(wire.id, Promise.resolve(wire).then(rowOf), unreadable)),
  )
  return rows.filter((row) => row !== null)
}

async function unlessUnreadable<Found>(
  id: string,
  reading: Promise<Found>,
  unreadable: OnUnreadableRow | undefined,
): Promise<Found | null> {
  try {
    return await reading
  } catch (error) {
    // errors from the cloud and outages affect the whole read
    const isOfRow = error instanceof InvalidResponse || !(error instanceof Problem)
    if (!unreadable || !isOfRow || isAbort(error)) throw error
    unreadable({ id, fault: error instanceof InvalidResponse ? error.what : 'it could not be interpreted' })
    return null
  }
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'

/** Resolves to null instead of throwing `not_found`. */
export async function unlessGone<Found>(reading: Promise<Found>): Promise<Found | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null
    throw error
  }
}
