import { Mapping } from '@mainstay/contract/identity/identity-providers'
import { expect, it } from 'vitest'
import { mapClaims } from './mapping'

const nameOf = (preferred_username: string) => {
  const found = mapClaims(Mapping.parse({}), { preferred_username })
  return found.refusal ? found.refusal.reason : found.mapped.name
}

it.each([
  ['mixes scripts in a word', '\u0430dmin'],
  ['mixes scripts in a part of an address', '\u0430da@company.example'],
  ['has a control character', 'ad\u0007min'],
  ['turns the direction of the text', '\u202enimda'],
  ['has a character without width', 'ad\u200bmin'],
])('refuses a user name that %s', (_, sent) => {
  expect(nameOf(sent)).toBe('bad_name')
})

it.each(['ada', 'ada@company.example', 'иван@company.example', '山田taro', 'Müller', 'Δήμητρα', 'O’Brien-Иванов'])(
  'accepts a user name of one script a word: %s',
  (sent) => {
    expect(nameOf(sent)).toBe(sent)
  },
)
