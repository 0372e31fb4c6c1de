import { expect, it } from 'vitest'
import { createLog } from './log'

const lineOf = (fields: object): Record<string, unknown> => {
  let line = ''
  createLog('info', { write: (text) => (line += text) }).info(fields, 'said')
  return JSON.parse(line) as Record<string, unknown>
}

it('redacts secrets at any depth', () => {
  const line = lineOf({
    password: 'one',
    body: { user_data: 'two', list: [{ token: 'three', name: 'kept' }] },
    headers: { 'X-Auth-Token': 'four', cookie: 'five' },
  })
  expect(JSON.stringify(line)).not.toMatch(/one|two|three|four|five/)
  expect(line).toMatchObject({ body: { list: [{ name: 'kept' }] }, msg: 'said' })
})

it('logs the message, code and cause of an error, but no other properties', () => {
  const cause = Object.assign(new Error('inner'), { client: { password: 'x' } })
  const line = lineOf({ err: Object.assign(new Error('outer', { cause }), { code: 'E1', request: { huge: true } }) })
  expect(line['err']).toMatchObject({ message: 'outer', code: 'E1', cause: { message: 'inner' } })
  expect(JSON.stringify(line)).not.toContain('huge')
})

it('accepts circular references', () => {
  const ring: Record<string, unknown> = {}
  ring['ring'] = ring
  expect(lineOf({ ring })).toMatchObject({ msg: 'said' })
})
