import { expect, it } from 'vitest'
import { fileIdOf, keyOfFile } from '../paths'
import { stepsOf } from './Breadcrumb'
import { fileKind, folderOf, rowsOf, visible } from './file-row'
import { previewOf } from './Preview'

const listed = (Key: string) => ({ Key, ETag: 'e', Size: 3, LastModified: '2026-11-26T10:00:00.000Z' })

it('adds the ID, name, type and folder flag to an S3 list entry [EN-015]', () => {
  const page = { prefixes: ['a/b/'], objects: [listed('a/'), listed('a/Report.PDF')], next: undefined }
  expect(rowsOf([page], 'a/')).toEqual([
    {
      ...{ Key: 'a/b/', Prefix: 'a/b/', ETag: null, Size: null, LastModified: null },
      ...{ id: fileIdOf('a/b/'), name: 'b', type: '', isFolder: true, etag: null },
    },
    {
      ...{ Key: 'a/Report.PDF', Prefix: 'a/', ETag: 'e', Size: 3, LastModified: '2026-11-26T10:00:00.000Z' },
      ...{ id: fileIdOf('a/Report.PDF'), name: 'Report.PDF', type: 'pdf', isFolder: false, etag: 'e' },
    },
  ])
})

it('lists folders first, and lists a folder that spans two pages only once', () => {
  const pages = [
    { prefixes: ['a/'], objects: [listed('b')], next: 'token' },
    { prefixes: ['a/', 'z/'], objects: [], next: undefined },
  ]
  expect(rowsOf(pages, '').map(({ Key }) => Key)).toEqual(['a/', 'z/', 'b'])
})

it('decodes every ID to its key, and rejects invalid IDs', () => {
  for (const key of ['a', 'add', 'a/b c?#%2F+.txt', 'ä/日本.txt', '\u{1F600}', '//', '.']) {
    expect(fileIdOf(key)).toMatch(/^[\w-]+$/)
    expect(keyOfFile(fileIdOf(key))).toBe(key)
  }
  expect(['add', '%', '_w'].map(keyOfFile)).toEqual([null, null, null])
})

it('derives the folder from a key', () => {
  expect(['a', 'a/', 'a/b', 'a/b/', 'a/b/c.txt'].map(folderOf)).toEqual(['', '', 'a/', 'a/', 'a/b/'])
})

it('escapes invisible characters in a name', () => {
  expect(visible('a\nb\u0007')).toBe(String.raw`a\x0ab\x07`)
  // a browser would show it as exe.jpg
  expect(visible('\u202egpj.exe')).toBe(String.raw`\u202egpj.exe`)
  expect(visible('zero\u200bwidth\ufeff')).toBe(String.raw`zero\u200bwidth\ufeff`)
  // scripts and emoji that need joiners stay unchanged
  for (const name of ['ملف مهم.pdf', 'می\u200cخواهم', '👩\u200d👧.png', 'é']) expect(visible(name)).toBe(name)
})

it('shortens a long path in the middle', () => {
  expect(stepsOf('media', 'a/b/').map(({ path }) => path)).toEqual(['', 'a/', 'a/b/'])
  expect(stepsOf('media', 'a/b/c/d/e/').map(({ name }) => name)).toEqual(['media', 'a', '…', 'd', 'e'])
})

it('previews images up to 5 MiB, text up to 256 KiB and PDFs up to 50 MiB, but no active content', () => {
  const MiB = 1024 ** 2
  expect([
    previewOf('a.png', { type: 'image/png', size: 5 * MiB }),
    previewOf('a.png', { type: 'image/png', size: 5 * MiB + 1 }),
    previewOf('a.svg', { type: 'image/svg+xml', size: 10 }),
    previewOf('a.html', { type: 'text/html', size: 256 * 1024 }),
    previewOf('a.txt', { type: 'text/plain; charset=utf-8', size: 256 * 1024 + 1 }),
    previewOf('a.yaml', { type: 'application/octet-stream', size: 10 }),
    previewOf('a.pdf', { type: 'application/pdf', size: 50 * MiB }),
    previewOf('a.pdf', { type: 'application/pdf', size: 50 * MiB + 1 }),
  ]).toEqual(['image', null, null, 'text', null, 'text', 'pdf', null])
  expect(fileKind({ isFolder: true, type: '' })).toBe('folder')
})
