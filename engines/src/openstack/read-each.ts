import { Problem } from '@mainstay/contract/core/problems'
import pLimit from 'p-limit'
import { InvalidResponse } from './client/problems'
import type { OnUnreadableRow } from './client/rows'
import { unreadableIn, type Reading } from './kind-reader'

const atOnce = 8

/**
 * What is read for each id, in their order, some at a time; null for what is gone. What cannot be read is told to
 * `unreadable` and null too; without that it is thrown.
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
    // after one that failed the others are not begun
    inTurn.clearQueue()
  }
}

/** The row of each of these; where nothing can be made of one, that is told and it is left out. */
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
    // what the cloud refuses, or does not answer, is a matter of the whole read
    const isOfRow = error instanceof InvalidResponse || !(error instanceof Problem)
    if (!unreadable || !isOfRow || isAbort(error)) throw error
    unreadable({ id, fault: error instanceof InvalidResponse ? error.what : 'nothing could be made of it' })
    return null
  }
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'

/** What is read, or null where the cloud does not have it. */
export async function unlessGone<Found>(reading: Promise<Found>): Promise<Found | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null
    throw error
  }
}
