import { sql, type Kysely } from 'kysely'
import { audit } from './audit'
import { identity } from './identity'
import { inventory } from './inventory'
import { objectStorage } from './object-storage'
import { operation } from './operation'
import { sessions } from './sessions'

/** Nothing was released before it, so databases of earlier development versions are refused (`adoptBaseline`). */
export const replaces = '0142-numbers-of-alerts'

/** The complete schema on which later migrations build. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  for (const part of [inventory, identity, sessions, audit, operation, objectStorage]) await sql.raw(part).execute(db)
}
