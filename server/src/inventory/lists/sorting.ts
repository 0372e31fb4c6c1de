import type { Problem } from '@mainstay/contract/core/problems'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Column, KindColumns } from '../columns'

export interface Sorting {
  key: string
  descending: boolean
  column: Column
}

/**
 * A position in a sorted list, directly after the row with this value and ID. If the value is null, the position is
 * among the rows without a value.
 */
export interface Place {
  value: string | number | boolean | null
  id: string
}

const MARKER_START = 'm1.'

/** Parses `key`, `key:asc` or `key:desc`. Throws a `validation` error on the `sort` field. */
export function sortingOf(columns: KindColumns, scope: Scope, asked: string | undefined): Sorting {
  const { kind, sortKeys } = columns
  const [key = '', direction = 'asc', ...more] = (asked || kind.defaultSort).split(':')
  const column = sortKeys.get(key)
  // sorting by a hidden field would reveal its values
  const hidden = column && scope.kind !== 'system' && kind.systemOnly.includes(column.path)
  if (!column || hidden || more.length > 0 || !/^(asc|desc)$/.test(direction)) {
    throw fieldProblem('sort', 'core.sort', { keys: [...sortKeys.keys()].join(', ') })
  }
  return { key, descending: direction === 'desc', column }
}

const nameOf = ({ key, descending }: Sorting): string => `${key}:${descending ? 'desc' : 'asc'}`

export const writeMarker = (sorting: Sorting, { value, id }: Place): string =>
  MARKER_START + Buffer.from(JSON.stringify([nameOf(sorting), value, id])).toString('base64url')

export const badMarker = (): Problem => fieldProblem('marker', 'core.foreign_marker')

/** Parses a marker. Returns null for any other format, which may be a plain ID. Throws `invalid_marker`. */
export function readMarker(sorting: Sorting, marker: string): Place | null {
  if (!marker.startsWith(MARKER_START)) return null
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(marker.slice(MARKER_START.length), 'base64url').toString())
  } catch {
    throw badMarker()
  }
  if (!Array.isArray(parts) || parts.length !== 3) throw badMarker()
  const [name, value, id] = parts as unknown[]
  if (name !== nameOf(sorting) || typeof id !== 'string' || id.includes('\0') || id.length > 512) throw badMarker()
  if (!fits(sorting.column, value)) throw badMarker()
  return { value, id }
}

function fits({ type }: Column, value: unknown): value is Place['value'] {
  if (value === null) return true
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  if (type === 'boolean') return typeof value === 'boolean'
  return typeof value === 'string' && value.length <= 1024 && !value.includes('\0')
}
