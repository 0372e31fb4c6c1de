import { expect, test } from 'vitest'
import { readText, repositoryFiles } from '../lib/repository.mjs'
import { holdsTests } from '../lib/test-titles.mjs'
import { absentFaults } from './absent-values'

test('no assertion holds because neither of its sides is there', () => {
  const files = repositoryFiles().filter(holdsTests)
  expect(files.flatMap((file) => absentFaults(file, readText(file)))).toEqual([])
  expect(files.length).toBeGreaterThan(20)
})

const faultsIn = (source: string) => absentFaults('planted.spec.ts', source)

test.each([
  `expect(second!['session-id']).toBe(first!['session-id'])`,
  `expect(one?.id).toEqual(other?.id)`,
  `expect(rows[0]).toStrictEqual(others[0])`,
  `expect(answer.headers.get('etag')).toBe(before.headers.get('etag'))`,
  `expect(list.find(isOpen)!).toBe(found?.it)`,
])('%s is refused', (source) => {
  expect(faultsIn(source)).toEqual([expect.stringContaining('planted.spec.ts:1 holds when neither is there')])
})

test.each([
  `expect(second!['session-id']).toBe('a1')`,
  `expect(one?.id).toBe(id)`,
  `expect(one?.id).not.toBe(other?.id)`,
  `expect(first!['session-id']).toMatch(/^[0-9a-f]{24}$/); expect(second!['session-id']).toBe(first!['session-id'])`,
])('%s is accepted', (source) => {
  expect(faultsIn(source)).toEqual([])
})
