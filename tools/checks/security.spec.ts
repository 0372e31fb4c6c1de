import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { namedTests } from '../lib/named-tests.mjs'
import { inRoot } from '../lib/paths.mjs'
import { readText } from '../lib/repository.mjs'
import { testsIn } from '../lib/test-titles.mjs'

/* docs/security.md says which test shows each refusal; here it is held to that. */

const document = 'docs/security.md'
const withoutIds = (title: string) => title.replace(/( \[[^\]]*\])+$/, '')
const titlesIn = (file: string) =>
  existsSync(inRoot(file))
    ? testsIn(file, readText(file)).flatMap(({ title, runs }) => (runs ? [withoutIds(title)] : []))
    : []

const faultsIn = (text: string, titles: (file: string) => string[]) =>
  namedTests(text).flatMap(({ file, title, line }) =>
    title !== null && titles(file).includes(withoutIds(title)) ? [] : [`${document}:${line} ${file}: ${title}`],
  )

test('every test that docs/security.md names is there', () => {
  const text = readText(document)
  expect(faultsIn(text, titlesIn)).toEqual([])
  expect(namedTests(text).length).toBeGreaterThan(3)
})

test('a test is named by its file and its title, alone or with others', () => {
  const text = [
    '| a | b | `x/one.spec.ts`: refuses [CA-001] |',
    '| a | b | `x/one.spec.ts`: refuses<br>`two.e2e.ts`: shows \\| tells |',
    '- `x/one.spec.ts`: refuses',
    'see `x/one.spec.ts` and `x/one.spec.ts`: forgets',
  ].join('\n')
  const titles = (file: string) => (file === 'two.e2e.ts' ? ['shows | tells'] : ['refuses'])
  expect(faultsIn(text, titles)).toEqual([
    'docs/security.md:4 x/one.spec.ts: null',
    'docs/security.md:4 x/one.spec.ts: forgets',
  ])
})
