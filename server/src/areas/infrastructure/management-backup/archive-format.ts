import * as z from 'zod'

/*
 * A management backup is a tar archive, compressed with gzip and encrypted with age, so that it can be opened without
 * this program too. It contains, in this order: `manifest.json`, files of the data folder below `files/`, the rows of
 * each table in parts (`tables/NAME/000001`), and `end.json` with the number of rows.
 */

export const FORMAT = 1

export const Manifest = z.object({
  format: z.literal(FORMAT),
  /** Version of the platform that created the backup. */
  version: z.string(),
  /** Names of the migrations that have created the schema. */
  migrations: z.array(z.string()),
  created_at: z.string(),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  sequences: z.record(z.string(), z.string()),
})
export type Manifest = z.infer<typeof Manifest>

export const End = z.object({ rows: z.record(z.string(), z.number()) })

export interface BackedUpFile {
  /** Path relative to the data folder. */
  path: string
  content: Buffer
}
