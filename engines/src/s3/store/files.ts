import type { Sql } from '../../ports/engines'
import { damaged } from './cipher'

/* State of each data file: a checksum of its stored bytes, the time of the next check, and any damage. */

/** Interval between checks of a file. */
export const CHECK_EVERY = "interval '30 days'"

export interface Files {
  /**
   * Registers a file before it is written, so that it is removed if it is never used. `source`: the file whose data it
   * will share.
   */
  intend(file: string, source?: string): Promise<void>
  /** Records the checksum of a registered file. */
  written(file: string, sum: string): Promise<void>
  /** Throws `InternalError` if one of the files is known to be damaged or missing. */
  checkWhole(files: readonly string[]): Promise<void>
  /** Returns the number of files in use that are damaged or missing. */
  countDamaged(): Promise<number>
}

/** Time after which a registered file that is still unused is removed. */
const KEEP_WRITTEN = "interval '7 days'"

export function openFiles(sql: Sql): Files {
  return {
    async intend(file, source) {
      await sql.query(
        `insert into s3_garbage (file, due, sum)
         values ($1, now() + ${KEEP_WRITTEN}, (select sum from s3_file where file = $2))`,
        [file, source ?? null],
      )
    },
    async written(file, sum) {
      await sql.query('update s3_garbage set sum = $2 where file = $1', [file, sum])
    },
    async checkWhole(files) {
      const found = await sql.query(
        'select 1 from s3_file where file = any($1::uuid[]) and damage is not null limit 1',
        [files],
      )
      if (found.length > 0) throw damaged()
    },
    async countDamaged() {
      const [row] = await sql.query<{ count: number }>(
        `select count(*)::int as count from s3_file f
         where damage is not null and not exists (select 1 from s3_garbage g where g.file = f.file)`,
      )
      return row!.count
    },
  }
}
