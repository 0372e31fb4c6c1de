import { expect, it } from 'vitest'
import { readWords } from './args'

it('names a cloud, in one word or in two', () => {
  const expected = { cloud: 'lab', printConfig: false, check: false, resetAdmin: false }
  expect(readWords(['--cloud', 'lab'])).toEqual(expected)
  expect(readWords(['--cloud=lab'])).toEqual(expected)
})

it('needs no words', () => {
  expect(readWords([])).toEqual({ cloud: null, printConfig: false, check: false, resetAdmin: false })
  const both = readWords(['--print-config', '--check'])
  expect(both).toEqual({ cloud: null, printConfig: true, check: true, resetAdmin: false })
  expect(readWords(['--reset-admin'])).toMatchObject({ resetAdmin: true })
})

it.each([[['--cloud']], [['--cloud', '--check']], [['--clod', 'lab']], [['lab']], [['--check=yes']], [['--cloud=']]])(
  'refuses %j',
  (given) => {
    expect(readWords(given)).toEqual({ fault: expect.stringContaining('--cloud') })
  },
)
