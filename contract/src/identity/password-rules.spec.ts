import { expect, it } from 'vitest'
import { englishText } from '../core/english'
import { NewPassword, passwordFaults } from './password-rules'

const fault = (password: string) =>
  NewPassword.safeParse(password).error?.issues.map(({ message }) => englishText(message)) ?? []

it.each(['correct horse 12', '1234567890abcdef', 'ein-langes-wort-1', '密码密码密码密码密码密码密码密码1'])(
  'accepts 16 characters with a letter and a digit: %s [VA-043]',
  (password) => expect(fault(password)).toEqual([]),
)

it.each(['Ab1!efghijkl', 'Größe 12 mal', 'P4ss phrase.'])(
  'accepts 12 characters with an uppercase and a lowercase letter, a digit and a symbol: %s [VA-044]',
  (password) => expect(fault(password)).toEqual([]),
)

it.each([
  ['', ['Enter a new password']],
  ['a', [expect.stringMatching(/^Use at least 12 characters .* or at least 16 /)]],
  ['Ab1!efghijk', [expect.stringMatching(/^Use at least 12 characters/)]],
  [
    'abcdefghijk1',
    [
      'Add an uppercase letter, or use at least 16 characters',
      'Add a symbol or a space, or use at least 16 characters',
    ],
  ],
  ['ABCDEFGHIJ!1', ['Add a lowercase letter, or use at least 16 characters']],
  ['Abcdefghijk!', ['Add a digit, or use at least 16 characters']],
  ['abcdefghijklmnop', ['Add a digit']],
  ['1234567890123456', ['Add a letter']],
  ['                ', ['Add a letter', 'Add a digit']],
  ['🐎🐎🐎🐎🐎🐎1a', [expect.stringMatching(/^Use at least 12/)]],
])('refuses %j and names the violated rule [VA-043] [VA-044]', (password, messages) => {
  expect(fault(password)).toEqual(messages)
})

it('accepts a long password that meets the rules for short ones', () => {
  expect(passwordFaults('Abcdefghijklmno!1')).toEqual([])
})
