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

test('counts the entry, the page and its static imports, but not dynamic imports', () => {
  expect(filesOf(manifest, 'index.html', [/ListPage/])).toEqual(['list.js', 'main.js', 'table.js'])
})

test('accepts a bundle exactly at the limit, and reports one that is a byte larger', () => {
  const bytes = ['main.js', 'list.js', 'table.js'].reduce((sum, file) => sum + brotliBytes(path.join(folder, file)), 0)
  expect(checkBundle(folder, manifest, list(bytes), heavy).faults).toEqual([])
  expect(checkBundle(folder, manifest, list(bytes - 1), heavy).faults).toHaveLength(1)
})

test('reports a heavy library that is in an initial chunk or in no chunk', () => {
  const early = { ...manifest, '_table.js': { file: 'table.js', imports: ['src/ConsolePage.tsx'] } }
  expect(checkBundle(folder, early, list(1_000), heavy).faults).toEqual([
    'noVNC is loaded before it is needed, in console.js',
  ])
  expect(checkBundle(folder, manifest, list(1_000), [{ library: 'noVNC', says: 'gone' }]).faults[0]).toContain(
    'was not found in any chunk',
  )
})

test('rejects a missing page and a manifest without the entry', () => {
  expect(() => filesOf(manifest, 'index.html', [/GonePage/])).toThrow('GonePage')
  expect(() => filesOf({}, 'index.html', [])).toThrow('no entry')
})

test('reports operator pages that the portal loads statically or dynamically, and pages without a chunk', () => {
  const both = {
    ...manifest,
    'admin.html': { file: 'admin.js', isEntry: true, dynamicImports: ['src/EnginePage.tsx'] },
    'src/EnginePage.tsx': { file: 'engine.js' },
  }
  expect(strayPages(both, 'index.html', ['src/EnginePage.tsx'])).toEqual([])
  expect(strayPages(both, 'index.html', ['src/ConsolePage.tsx', 'src/ListPage.tsx', 'src/Gone.tsx'])).toEqual([
    'src/ConsolePage.tsx is a page of operators, and index.html loads console.js',
    'src/ListPage.tsx is a page of operators, and index.html loads list.js',
    'src/Gone.tsx is not a chunk of the console',
  ])
})

test('operator pages are the pages that only the admin route tables load', () => {
  const pages = pagesOfOperators(inRoot('console'))
  expect(pages).toContain('src/areas/settings/SettingsPage.tsx')
  expect(pages).toContain('src/areas/infrastructure/engines/EngineListPage.tsx')
  expect(pages).not.toContain('src/areas/identity/domains/domain-screens.tsx')
})
