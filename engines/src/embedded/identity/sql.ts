/** What the embedded identity needs of a database: PostgreSQL with `$1` parameters. The server lends it. */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** All statements of `work` happen, or none. */
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>
}
