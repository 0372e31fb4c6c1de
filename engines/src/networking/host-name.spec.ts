import { expect, test } from 'vitest'
import { distinctHostName, hostNameOf } from './host-name'

const id = '1f2e3d4c-0000-4000-8000-000000000000'
const ofId = 'vm-1f2e3d4c'

test.each([
  ['Web 1', 'web-1'],
  ['Zürich', 'zurich'],
  ['Zu\u0308rich', 'zurich'],
  ['Größe', 'grosse'],
  ['GROẞE', 'grosse'],
  ['Łódź', 'lodz'],
  ['Ærøskøbing', 'aeroskobing'],
  ['Þór œuvre', 'thor-oeuvre'],
  ['İstanbul', 'istanbul'],
  ['ｆｕｌｌ', 'full'],
  ['a.b', 'a-b'],
  ['db 東京', 'db'],
  ['x'.repeat(80), 'x'.repeat(63)],
])('turns the name “%s” into the host name %s', (name, expected) => {
  expect(hostNameOf(name, id)).toBe(expected)
})

test.each(['---', 'データベース', 'Сервер', '42', '0x7f', 'localhost', 'LOCALHOST', 'Gateway', 'metadata', 'wpad', ''])(
  'derives the host name from the ID for the name “%s”',
  (name) => {
    expect(hostNameOf(name, id)).toBe(ofId)
  },
)

test('adds a suffix to a duplicate name, within the length limit for host names', () => {
  expect(distinctHostName('web', id)).toBe('web-1f2e3d4c')
  const long = distinctHostName(`${'x'.repeat(53)}-${'y'.repeat(9)}`, id)
  expect(long).toBe(`${'x'.repeat(53)}-1f2e3d4c`)
  expect(long.length).toBeLessThanOrEqual(63)
})
