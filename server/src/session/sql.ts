import type { Sql } from '@mainstay/engines/ports/engines'
import { CompiledQuery, type Kysely } from 'kysely'

/** Runs SQL on the shared database and pool, without the query builder. */
export function sqlOf<Tables>(db: Kysely<Tables>): Sql {
  return {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows,
    transaction: (work) => db.transaction().execute((inside) => work(sqlOf(inside))),
  }
}
