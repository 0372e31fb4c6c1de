import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dropEmpty, parseFilter, writeFilter, type FilterTerm } from './filters'

test('ignores a filter with an empty value [VA-013]', () => {
  expect(parseFilter('', 'contains')).toBeNull()
  expect(parseFilter('exact:', 'contains')).toBeNull()
  expect(parseFilter('in:', 'exact')).toBeNull()
  expect(parseFilter('in:,,', 'exact')).toBeNull()
  expect(writeFilter({ operator: 'contains', values: [''] })).toBeNull()
  expect(writeFilter({ operator: 'in', values: [] })).toBeNull()
})

test('a plain value means contains, unless the filter is exact [VA-014]', () => {
  expect(parseFilter('web', 'contains')).toEqual({ operator: 'contains', values: ['web'] })
  expect(parseFilter('exact:web', 'contains')).toEqual({ operator: 'exact', values: ['web'] })
  expect(parseFilter('web', 'exact')).toEqual({ operator: 'exact', values: ['web'] })
})

test('in:a,b matches any of several values [VA-015]', () => {
  expect(parseFilter('in:ACTIVE,ERROR', 'exact')).toEqual({ operator: 'in', values: ['ACTIVE', 'ERROR'] })
  expect(writeFilter({ operator: 'in', values: ['ACTIVE', 'ERROR'] })).toBe('in:ACTIVE,ERROR')
})

test('any: matches tags, and None stands for no tag [VA-016]', () => {
  expect(parseFilter('any:red,None', 'any')).toEqual({ operator: 'any', values: ['red', null] })
  expect(writeFilter({ operator: 'any', values: ['red', null] })).toBe('any:red,None')
})

test('removes empty and false values from query parameters [VA-018]', () => {
  expect(dropEmpty({ a: '', b: false, c: null, d: undefined, e: [], f: 0, g: 'x', h: true, i: ['a', 'b'] })).toEqual({
    f: '0',
    g: 'x',
    h: 'true',
    i: 'a,b',
  })
})

test('parsing a written filter restores it, including commas and backslashes', () => {
  const value = fc.string({ minLength: 1 }).filter((text) => text !== 'None')
  const term: fc.Arbitrary<FilterTerm> = fc.oneof(
    fc.record({
      operator: fc.constantFrom<'in' | 'any'>('in', 'any'),
      values: fc.array(value, { minLength: 1 }),
    }),
    fc.record({
      operator: fc.constantFrom<FilterTerm['operator']>('contains', 'exact', 'gte', 'lte', 'not'),
      values: value.map((text) => [text]),
    }),
  )
  fc.assert(
    fc.property(term, (it) => {
      expect(parseFilter(writeFilter(it)!, 'contains')).toEqual(it)
    }),
  )
})

test('the parser never throws', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseFilter(text, 'contains')))
})
