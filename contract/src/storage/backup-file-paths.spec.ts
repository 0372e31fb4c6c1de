import { expect, it } from 'vitest'
import { FilePath, pathBytes, pathPart, shownName } from './backup-file-paths'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))

it('writes usual names as usual, and every other byte so that it can be read back', () => {
  expect(pathPart(bytes('Übersicht 日本 🙂.txt'))).toBe('Übersicht 日本 🙂.txt')
  expect(pathPart(bytes('100 %\nof\u202ethem'))).toBe('100 %25%0Aof%E2%80%AEthem')
  expect(pathPart(Uint8Array.of(0x66, 0xff, 0xc3, 0x41))).toBe('f%FF%C3A')
  for (const name of [bytes('a%2F\t🙂\u{feff}'), Uint8Array.from({ length: 255 }, (_, at) => at + 1), bytes('%zz%')])
    expect(pathBytes(pathPart(name))).toEqual(name)
  expect(shownName('two%0Alines')).toBe('two\nlines')
})

it('refuses paths that could leave the file system', () => {
  for (const good of ['/', '/etc/hosts', '/..a/...', '/a%0Ab', '/100%'])
    expect(FilePath.safeParse(good).success, good).toBe(true)
  for (const bad of ['', 'etc', '//', '/etc/', '/..', '/a/../b', '/.', '/%2e%2E/a', '/a%2Fb', '/a%00'])
    expect(FilePath.safeParse(bad).success, bad).toBe(false)
})
