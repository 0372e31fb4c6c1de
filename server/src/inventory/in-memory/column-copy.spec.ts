import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { textColumn } from './column-copy'

test('a column of texts tells what was put into it last, with few different texts and with many', () => {
  const text = fc.oneof(fc.constant(null), fc.constantFrom('', 'web', 'web-1', 'we', 'b', 'éb', '😀'), fc.string())
  const puts = fc.array(fc.tuple(fc.nat(2000), text), { maxLength: 60 })
  fc.assert(
    fc.property(fc.array(puts, { maxLength: 4 }), fc.constantFrom('b', 'web', '😀', 'nothing'), (rounds, part) => {
      const column = textColumn(12)
      const rows: (string | null)[] = Array.from({ length: 2001 }, () => null)
      for (const row of rows.keys()) column.set(row, null)
      for (const round of rounds) {
        for (const [row, value] of round) {
          column.set(row, value)
          rows[row] = value
        }
        const [contains, is] = [column.containing(part), column.where((it) => it === part)]
        expect([...rows.keys()].map(column.at)).toEqual(rows)
        expect([...rows.keys()].filter(contains)).toEqual([...rows.keys()].filter((row) => rows[row]?.includes(part)))
        expect([...rows.keys()].filter(is)).toEqual([...rows.keys()].filter((row) => rows[row] === part))
      }
    }),
  )
})
