import type { Log } from '@mainstay/engines/ports/records'
import type { Kysely } from 'kysely'
import type { Database } from '../../store/schema'
import type { KindColumns } from '../columns'
import type { CopyQuery, FoundPlaces } from './find-places'
import { createKindCopy, type CopyLimits, type KindCopy, type Versions } from './kind-copy'

/** Copies of the side tables of kinds, for lists that would fetch many rows from the database. */
export interface Copies {
  /** From which cost on, as the planner believes, a list is looked for here. */
  dearCost: number
  /**
   * The places of a list's rows as they were at this revision or later; null where the database must be asked. The first
   * to ask has a copy made for those who come later.
   */
  find(columns: KindColumns, query: CopyQuery, head: number): Promise<FoundPlaces | null>
  /** How many rows of a list there are, likewise; no copy is made for it. */
  count(columns: KindColumns, query: CopyQuery, head: number): Promise<number | null>
  /** Whether there is a copy of the kind. */
  has(columns: KindColumns): boolean
  /** Something was committed, here or at another server. */
  follow(): void
  close(): void
}

export interface CopySettings extends CopyLimits {
  dearCost: number
}

const usual: CopySettings = {
  // about that of fetching 500 rows; looking through 100 000 here takes as long as fetching some thousands
  dearCost: 500,
  mostRows: 1_000_000,
  idleMs: 15 * 60_000,
  patienceMs: 20,
}

export function createCopies(tools: {
  db: Kysely<Database>
  log: Log
  versions: Versions
  settings?: Partial<CopySettings>
}): Copies {
  const { db, log, versions } = tools
  const { dearCost, ...limits } = { ...usual, ...tools.settings }
  const kinds = new Map<string, KindCopy>()
  let isClosed = false
  return {
    dearCost,
    async find(columns, query, head) {
      if (isClosed) return null
      const { name } = columns.kind
      const known = kinds.get(name) ?? createKindCopy({ db, log, limits, versions }, columns)
      kinds.set(name, known)
      return known.find(query, head)
    },
    async count(columns, query, head) {
      const known = kinds.get(columns.kind.name)
      const found = known?.isMade() ? await known.find({ ...query, limit: 0 }, head) : null
      return found && found.count
    },
    has: ({ kind: { name } }) => kinds.get(name)?.isMade() ?? false,
    follow() {
      for (const kind of kinds.values()) kind.follow()
    },
    close() {
      isClosed = true
      for (const kind of kinds.values()) kind.forget()
    },
  }
}
