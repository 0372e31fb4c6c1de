import type { Sql } from '../../ports/engines'
import { damaged } from './cipher'

/* What is known of each file: a checksum of its bytes as they lie there, when it is read next, and what is wrong with it. */

/** Each file is read once in so many days. */
export const CHECK_EVERY = "interval '30 days'"

export interface Files {
  /** Says that a file is about to be written: if nothing comes of it, it is removed. `source`: it will have the bytes of that one. */
  intend(file: string, source?: string): Promise<void>
  /** Keeps the checksum of a file that was announced, until a row takes it. */
  written(file: string, sum: string): Promise<void>
  /** Throws `InternalError` where one of them was found to be damaged or missing. */
  checkWhole(files: readonly string[]): Promise<void>
  /** How many files that are needed are damaged or missing. */
  countDamaged(): Promise<number>
}

/** A file that is being written is left-over after so long. */
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
