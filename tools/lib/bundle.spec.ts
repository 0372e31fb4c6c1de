import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { brotliBytes, checkBundle, filesOf, strayPages } from './bundle.mjs'
import { pagesOfOperators } from './panel-pages.mjs'
import { inRoot } from './paths.mjs'

const folder = mkdtempSync(path.join(tmpdir(), 'mainstay-bundle-'))
afterAll(() => rmSync(folder, { recursive: true }))
const chunks = { 'main.js': 'entry', 'list.js': 'list', 'table.js': 'table', 'console.js': 'Must specify a socket' }
for (const [name, text] of Object.entries(chunks)) writeFileSync(path.join(folder, name), text)

const manifest = {
  'index.html': { file: 'main.js', isEntry: true, dynamicImports: ['src/ListPage.tsx', 'src/ConsolePage.tsx'] },
  'src/ListPage.tsx': { file: 'list.js', imports: ['_table.js', 'index.html'] },
  'src/ConsolePage.tsx': { file: 'console.js' },
  '_table.js': { file: 'table.js', imports: ['src/ListPage.tsx'] },
  'src/main.css': { file: 'main.css' },
}
const heavy = [{ library: 'noVNC', says: 'Must specify a socket' }]
const list = (limitBytes: number) => [{ name: 'list', entry: 'index.html', limitBytes, pages: [/ListPage/] }]

test('a page brings the entry and all that it imports at once, and nothing on demand', () => {
  expect(filesOf(manifest, 'index.html', [/ListPage/])).toEqual(['list.js', 'main.js', 'table.js'])
})

test('a budget is kept up to its last byte', () => {
  const bytes = ['main.js', 'list.js', 'table.js'].reduce((sum, file) => sum + brotliBytes(path.join(folder, file)), 0)
  expect(checkBundle(folder, manifest, list(bytes), heavy).faults).toEqual([])
  expect(checkBundle(folder, manifest, list(bytes - 1), heavy).faults).toHaveLength(1)
})

test('a heavy library in an initial chunk, or in none at all, is a fault', () => {
  const early = { ...manifest, '_table.js': { file: 'table.js', imports: ['src/ConsolePage.tsx'] } }
  expect(checkBundle(folder, early, list(1_000), heavy).faults).toEqual([
    'noVNC is loaded before it is needed, in console.js',
  ])
  expect(checkBundle(folder, manifest, list(1_000), [{ library: 'noVNC', says: 'gone' }]).faults[0]).toContain(
    'in no chunk',
  )
})

test('a page that is not there, and a console without an entry, are refused', () => {
  expect(() => filesOf(manifest, 'index.html', [/GonePage/])).toThrow('GonePage')
  expect(() => filesOf({}, 'index.html', [])).toThrow('no entry')
})

test('a page of operators that the portal loads, at once or on demand, is a fault, and so is one that is no chunk', () => {
  const both = {
    ...manifest,
    'admin.html': { file: 'admin.js', isEntry: true, dynamicImports: ['src/EnginePage.tsx'] },
    'src/EnginePage.tsx': { file: 'engine.js' },
  }
  expect(strayPages(both, 'index.html', ['src/EnginePage.tsx'])).toEqual([])
  expect(strayPages(both, 'index.html', ['src/ConsolePage.tsx', 'src/ListPage.tsx', 'src/Gone.tsx'])).toEqual([
    'src/ConsolePage.tsx is a page of operators, and index.html loads console.js',
    'src/ListPage.tsx is a page of operators, and index.html loads list.js',
    'src/Gone.tsx is no chunk of the console',
  ])
})

test('pages of operators are those that their tables of routes load, and no other', () => {
  const pages = pagesOfOperators(inRoot('console'))
  expect(pages).toContain('src/areas/settings/SettingsPage.tsx')
  expect(pages).toContain('src/areas/infrastructure/engines/EngineListPage.tsx')
  expect(pages).not.toContain('src/areas/identity/domains/domain-screens.tsx')
})
