import { englishText } from '@mainstay/contract/core/english'
import { expect, it } from 'vitest'
import { commonPasswordFault } from './common-passwords'

it.each([
  '1qaz2wsx3edc4rfv',
  'Administrator1!',
  'P@ssw0rd2026!',
  'Baseball-2026',
  'trustno1trustno1',
  '12345Football!',
])('refuses %s, a variation of a common password', async (password) =>
  expect(englishText((await commonPasswordFault(password)) ?? '')).toMatch(/too common|too similar/),
)

it.each([
  ['Mainstay-2026!', []],
  ['Project_Member1!', ['project_member', 'alpha']],
  ['alphaAlpha-2026', ['project_member', 'alpha']],
])('refuses %s, which resembles a name or common term', async (password, names) =>
  expect(englishText((await commonPasswordFault(password, names)) ?? '')).toContain('too similar'),
)

it.each(['correct horse 12', 'Tr0ubadour & three', 'Grüne-Äpfel-77', '密码密码abc 1234567890'])(
  'accepts %s',
  async (password) => expect(await commonPasswordFault(password, ['project_member', 'alpha', ''])).toBeNull(),
)
