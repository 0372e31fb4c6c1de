import { expect, it } from 'vitest'
import { parseCliArgs } from './args'

it('names a cloud, in one word or in two', () => {
  const expected = { cloud: 'lab', printConfig: false, check: false, resetAdmin: false }
  expect(parseCliArgs(['--cloud', 'lab'])).toEqual(expected)
  expect(parseCliArgs(['--cloud=lab'])).toEqual(expected)
})

it('needs no words', () => {
  expect(parseCliArgs([])).toEqual({ cloud: null, printConfig: false, check: false, resetAdmin: false })
  const both = parseCliArgs(['--print-config', '--check'])
  expect(both).toEqual({ cloud: null, printConfig: true, check: true, resetAdmin: false })
  expect(parseCliArgs(['--reset-admin'])).toMatchObject({ resetAdmin: true })
})

it.each([[['--cloud']], [['--cloud', '--check']], [['--clod', 'lab']], [['lab']], [['--check=yes']], [['--cloud=']]])(
  'refuses %j',
  (given) => {
    expect(parseCliArgs(given)).toEqual({ fault: expect.stringContaining('--cloud') })
  },
)
