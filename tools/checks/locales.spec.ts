import { expect, test } from 'vitest'
import { messages } from '../../contract/src/messages'
import { readText, repositoryFiles } from '../lib/repository.mjs'
import { catalogueFaults } from './locales'

const folder = 'console/locales/'
const files = repositoryFiles().filter((file) => file.startsWith(folder))
const read = (file: string) => JSON.parse(readText(file)) as Record<string, string>

/** English message texts from the contract, by the name of the translation file: `de/contract/networking.json`. */
const ofContract = Object.fromEntries(
  Object.entries(messages).map(([area, entries]) => [
    `contract/${area.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`,
    Object.fromEntries(
      Object.entries(entries as Record<string, string | readonly [string, string]>).map(([name, entry]) => [
        name,
        typeof entry === 'string' ? entry : entry[1],
      ]),
    ),
  ]),
)

test('every language has the same messages, with the same arguments, as English', () => {
  const languages = [...new Set(files.map((file) => file.slice(folder.length).split('/')[0] ?? ''))]
  const names = files.filter((file) => file.startsWith(`${folder}en/`)).map((file) => file.slice(`${folder}en/`.length))
  const namesOf = (language: string) => (language === 'en' ? names : [...names, ...Object.keys(ofContract)])
  const expected = languages.flatMap((language) => namesOf(language).map((name) => `${folder}${language}/${name}`))
  expect(files).toEqual(expected.sort())
  expect(names.length).toBeGreaterThan(0)

  const faults = languages.flatMap((language) =>
    namesOf(language).flatMap((name) =>
      catalogueFaults(
        `${language}/${name}`,
        language,
        read(`${folder}${language}/${name}`),
        ofContract[name] ?? read(`${folder}en/${name}`),
      ),
    ),
  )
  expect(faults).toEqual([])
})

test('no catalogue contains a key twice', () => {
  // JSON.parse silently keeps only the last one
  const repeated = files.flatMap((file) => {
    const keys = [...readText(file).matchAll(/^\s*"([^"]+)"\s*:/gm)].map(([, key]) => key)
    return keys.filter((key, index) => keys.indexOf(key) !== index).map((key) => `${file} has ${key} twice`)
  })
  expect(repeated).toEqual([])
  expect(files.length).toBeGreaterThan(0)
})

test('notes for translators refer only to existing messages', () => {
  const notes = 'console/translation-notes/'
  const noted = repositoryFiles().filter((file) => file.startsWith(notes))
  expect(noted.length).toBeGreaterThan(0)
  const unknown = noted.flatMap((file) => {
    const english = read(file.replace(notes, `${folder}en/`))
    return Object.keys(read(file)).flatMap((key) => (key in english ? [] : `${file}: ${key}`))
  })
  expect(unknown).toEqual([])
})

const disks = '{n, plural, one {# disk} other {# disks}} of {name}'

test.each([
  ['a missing message', 'de', {}, 'lacks disks'],
  ['a message that English lacks', 'de', { disks, more: 'x' }, 'has more'],
  ['an empty text', 'de', { disks: ' ' }, 'no text for disks'],
  ['another argument', 'de', { disks: disks.replace('{name}', '{nam}') }, 'asks for (n:plural, nam:argument) in disks'],
  ['a lost argument', 'de', { disks: '{n, plural, other {#}}' }, 'English for (n:plural, name:argument)'],
  ['another kind of argument', 'de', { disks: '{n} {name}' }, 'asks for (n:argument, name:argument)'],
  ['a broken message', 'de', { disks: '{n, plural, one {#} {name}' }, 'cannot be read at disks'],
  ['a missing plural form', 'ar', { disks }, 'lacks the form zero, two, few, many in disks'],
])('reports %s', (_, language, messages, fault) => {
  expect(catalogueFaults('planted.json', language, messages, { disks }).join('\n')).toContain(fault)
})

test('accepts a correct translation', () => {
  const spanish = '{n, plural, one {# disco} other {# discos}} de {name}'
  expect(catalogueFaults('planted.json', 'es', { disks: spanish }, { disks })).toEqual([])
})
