import { expect, test } from 'vitest'
import { isCode, isTest, readText, repositoryFiles } from '../lib/repository.mjs'
import { composedTexts } from './composed-texts'

const files = repositoryFiles()
const catalogues = files.filter((file) => file.startsWith('console/locales/en/'))
const messages: Record<string, string> = Object.assign({}, ...catalogues.map((file) => JSON.parse(readText(file))))

test('no sentence is composed of texts of the catalogue', () => {
  const code = files.filter((file) => file.startsWith('console/src/') && isCode(file) && !isTest(file))
  expect(code.length).toBeGreaterThan(500)
  expect(Object.keys(messages).length).toBeGreaterThan(1000)
  expect(code.flatMap((file) => composedTexts(file, readText(file), messages))).toEqual([])
})

const planted = { search: 'Search {what}', label: '{what}: not found', sort: 'Volumes', one: 'Volume' }

test.each([
  ["t('search', { what: t('sort') })", ['a.ts:1 puts a text of the catalogue into "Search {what}"']],
  [
    "t('search', { what: many ? t('sort') : say('one') })",
    ['a.ts:1 puts a text of the catalogue into "Search {what}"'],
  ],
  ["t('label', { what: t('sort') })", []],
  [
    "const say = useT('x'); say('search', { what: say('one') })",
    ['a.ts:1 puts a text of the catalogue into "Search {what}"'],
  ],
  ["t('search', { what: name })", []],
  ["t('search', { what: count('sort') })", []],
])('%s', (source, faults) => {
  expect(composedTexts('a.ts', source, planted)).toEqual(faults)
})
