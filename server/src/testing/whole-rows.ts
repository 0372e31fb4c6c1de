import { isDeepStrictEqual } from 'node:util'
import type { Entity } from '@mainstay/engines/ports/records'
import pg from 'pg'

/**
 * Returns all rows in a project except its tasks, with all their fields, from the database. Keys have the form `server
 * ID`.
 */
export async function wholeRows(databaseUrl: string, project: string): Promise<Map<string, Entity>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ kind: string; id: string; body: Entity }>(
      "select kind, id, body from resource where project_id = $1 and kind <> 'task'",
      [project],
    )
    return new Map(rows.map(({ kind, id, body }) => [`${kind} ${id}`, body]))
  } finally {
    await client.end()
  }
}

/** Describes each row that differs between the two maps, with the fields that differ. */
export function differingRows(followed: ReadonlyMap<string, Entity>, anew: ReadonlyMap<string, Entity>): string[] {
  return [...new Set([...followed.keys(), ...anew.keys()])].flatMap((key) => {
    const [one, other] = [followed.get(key), anew.get(key)]
    if (!one) return [`${key} is in the cloud and not in the index`]
    if (!other) return [`${key} is in the index and not in the cloud`]
    const fields = [...new Set([...Object.keys(one), ...Object.keys(other)])]
    const differing = fields.filter((field) => !isDeepStrictEqual(one[field], other[field]))
    return differing.map(
      (field) => `${key}: ${field} is ${JSON.stringify(one[field])}, read anew ${JSON.stringify(other[field])}`,
    )
  })
}
