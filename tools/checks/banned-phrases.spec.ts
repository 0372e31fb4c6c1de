import { expect, test } from 'vitest'
import { isCode, readText, repositoryFiles } from '../lib/repository.mjs'
import { bannedPhrases, commentsOf, exceptions } from './banned-phrases'

const isProse = (file: string) =>
  file.endsWith('.md') || file.startsWith('console/locales/en/') || /^contract\/src\/.*messages\.ts$/.test(file)
const textOf = (file: string) => (isProse(file) ? readText(file) : commentsOf(readText(file)))

test('no text uses a banned phrase', () => {
  const files = repositoryFiles().filter((file) => isProse(file) || isCode(file))
  expect(files.length).toBeGreaterThan(3000)
  expect(files.flatMap((file) => bannedPhrases(file, textOf(file)))).toEqual([])
})

test('every exception is still required', () => {
  for (const { file, text } of exceptions) expect(readText(file), file).toContain(text)
})

test.each([
  ['docs/a.md', 'Nobody can log in again, or anew', ['"Nobody"', '"anew"', '"log in again"']],
  ['docs/a.md', 'The key is gone for good', ['"for good"']],
  ['docs/a.md', 'Runs as `nobody`; see /login and sign-in', []],
  ['docs/operating.md', 'then log out of Linux and in again', []],
])('checks %s: %s', (file, text, found) => {
  const said = bannedPhrases(file, text).map((fault) => /"[^"]*"/.exec(fault)![0])
  expect(said.toSorted()).toEqual(found.toSorted())
})

test('checks only the comments in code, and reports the correct line', () => {
  expect(bannedPhrases('a.ts', commentsOf("const a = 'nobody'\n// nobody\nconst b = `anew` /* whoever */"))).toEqual([
    'a.ts:2: "nobody" (use no user, no caller)',
    'a.ts:3: "whoever" (use the user, the caller, anyone who)',
  ])
})
