import { SEARCH, SHARED, type KindColumns } from '../columns'
import {
  joinTags,
  numberColumn,
  textColumn,
  type ColumnCopy,
  type NumberColumn,
  type RowTest,
  type TextColumn,
} from './column-copy'

/** What a condition says of the rows of a copy. */
export type CopyCondition = (copy: TableCopy) => RowTest

/** A kind's side table in memory, by columns. Rows have numbers; one that is free has no id. */
export interface TableCopy {
  /** Numbers of rows are below this. */
  readonly end: number
  readonly size: number
  /** Columns by name; tags are one text. */
  column(name: string): ColumnCopy
  numbers(name: string): NumberColumn
  texts(name: string): TextColumn
  /** Makes or replaces a row, as it is read from the side table. */
  put(row: Record<string, unknown>): void
  remove(id: string): void
}

export function createTableCopy({ columns }: KindColumns): TableCopy {
  const numbers = new Map<string, NumberColumn>([[SHARED, numberColumn('boolean')]])
  const texts = new Map<string, TextColumn>([
    ['id', textColumn()],
    [SEARCH, textColumn()],
  ])
  const tags = new Set<string>()
  for (const { name, type } of columns) {
    if (type === 'number' || type === 'boolean') numbers.set(name, numberColumn(type))
    else texts.set(name, textColumn())
    if (type === 'tags') tags.add(name)
  }
  const all = new Map<string, ColumnCopy>([...numbers, ...texts])
  const rowOf = new Map<string, number>()
  const free: number[] = []
  let end = 0

  return {
    get end() {
      return end
    },
    get size() {
      return rowOf.size
    },
    column: (name) => known(all, name),
    numbers: (name) => known(numbers, name),
    texts: (name) => known(texts, name),
    put(values) {
      const id = values['id'] as string
      const row = rowOf.get(id) ?? free.pop() ?? end++
      rowOf.set(id, row)
      for (const [name, column] of all) {
        const value = values[name]
        column.set(row, tags.has(name) && value !== null ? joinTags(value as string[]) : value)
      }
    },
    remove(id) {
      const row = rowOf.get(id)
      if (row === undefined) return
      rowOf.delete(id)
      free.push(row)
      for (const column of all.values()) column.set(row, null)
    },
  }
}

function known<Column>(columns: ReadonlyMap<string, Column>, name: string): Column {
  const column = columns.get(name)
  if (!column) throw new Error(`a copy has no such column "${name}"`)
  return column
}
