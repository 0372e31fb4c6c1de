import type { Sql } from '../../ports/engines'
import { afterPrefix, commonPrefix, isAfter } from './lists'
import type { Bucket } from './types'
import { UPLOAD_COLUMNS, type Upload } from './multipart'

/* Lists unfinished uploads by key and ID, with common prefixes as single items. */

export interface UploadsQuestion {
  prefix: string
  delimiter: string
  /** Last key or common prefix of the previous page; empty for the first page. */
  afterKey: string
  /** Last upload ID of that key; null to continue after the key. */
  afterId: string | null
  most: number
}
export type ListedUpload = { upload: Upload } | { prefix: string }

/** IDs that sort before and after all others. */
const [FIRST, LAST] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

const COMMON = `case when $6 = '' or strpos(substr(key, $7::int + 1), $6) = 0 then null
  else substr(key, 1, $7::int + strpos(substr(key, $7::int + 1), $6) + length($6) - 1) end`
const first = (bound: string) => `
  select ${UPLOAD_COLUMNS}, ${COMMON} as common from s3_upload
  where bucket_id = $1 and ended_at is null and ($4::text is null or key < $4) and ${bound}
  order by key, id limit 1`

/** Lists a page. Each item takes one index lookup, no matter how many uploads it stands for. */
export async function listUploads(
  sql: Sql,
  { id }: Bucket,
  { prefix, delimiter, afterKey, afterId, most }: UploadsQuestion,
): Promise<{ items: ListedUpload[]; truncated: boolean }> {
  const nothing = { items: [], truncated: false }
  if (most === 0) return nothing
  // if the previous page ended at or inside a common prefix, skip the rest of that prefix
  const inside = afterKey.startsWith(prefix) ? commonPrefix(afterKey, { prefix, delimiter }) : null
  const behind = inside === null ? null : afterPrefix(inside)
  if (inside !== null && behind === null) return nothing
  const begin = behind === null ? { key: afterKey, id: afterId ?? LAST } : { key: behind, id: FIRST }
  const from = isAfter(prefix, begin.key) ? { key: prefix, id: FIRST } : begin
  const end = prefix === '' ? null : afterPrefix(prefix)
  const rows = await sql.query<Upload & { common: string | null }>(
    `with recursive walk as (
       (select one.*, 1 as n from (${first('(key, id) > ($2::text, $3::uuid)')}) one)
       union all
       select step.*, walk.n + 1 from walk cross join lateral (
         ${first(`(key, id) > (coalesce(s3_after(walk.common), walk.key), case when walk.common is null then walk.id else '${FIRST}' end)
           and (walk.common is null or s3_after(walk.common) is not null)`)}
       ) step where walk.n < $5
     )
     select ${UPLOAD_COLUMNS}, common from walk order by n`,
    [id, from.key, from.id, end, most + 1, delimiter, [...prefix].length],
  )
  const items = rows
    .slice(0, most)
    .map(({ common, ...upload }): ListedUpload => (common === null ? { upload } : { prefix: common }))
  return { items, truncated: rows.length > most }
}
