import { CompiledQuery, type Kysely } from 'kysely'

/** Plain SQL with `$1` parameters, in the shape that the embedded identity asks for as well. */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>
}

/** The same database and pool as everything else, without the query builder. */
export function sqlOf<Tables>(db: Kysely<Tables>): Sql {
  return {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows,
    transaction: (work) => db.transaction().execute((inside) => work(sqlOf(inside))),
  }
}
