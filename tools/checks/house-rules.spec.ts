import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Locked, missingOptional } from '../lib/lockfile.mjs'
import { inRoot } from '../lib/paths.mjs'
import { repositoryFiles } from '../lib/repository.mjs'
import { houseFaults, rules } from './house-rules'

interface Lock {
  packages: Record<string, Locked & { hasInstallScript?: boolean; link?: boolean }>
}
const readJson = (file: string): unknown => JSON.parse(readFileSync(inRoot(file), 'utf8'))
const lock = readJson('package-lock.json') as Lock
const installed = Object.entries(lock.packages).flatMap(([place, found]) => {
  const name = place.split('node_modules/').at(-1)
  return name && !found.link && place.includes('node_modules/') ? [{ name, ...found }] : []
})

test('no file violates a house rule', () => {
  const files = repositoryFiles()
  expect(files.flatMap((file) => houseFaults(file, readFileSync(inRoot(file))))).toEqual([])
  for (const { name, files: applies } of rules) {
    expect(files.filter((file) => applies.test(file)).length, `files for: ${name}`).toBeGreaterThan(0)
  }
})

test('the lockfile contains the packages for every platform, as npm ci requires', () => {
  const lacking = missingOptional(lock.packages).map(({ name }) => `${name}: run node tools/complete-lockfile.mjs`)
  expect(lacking).toEqual([])
  expect(Object.values(lock.packages).filter((one) => one.optionalDependencies).length).toBeGreaterThan(0)
})

test('exactly the packages that have install scripts are approved', () => {
  const { allowScripts } = readJson('package.json') as { allowScripts: Record<string, boolean> }
  const withScripts = installed.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name)
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScripts)].sort())
  expect(withScripts.length).toBeGreaterThan(0)
})

test('every package has an allowed licence', () => {
  const free =
    /^\(?(MIT|MIT-0|ISC|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|0BSD|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|OFL-1\.1|Python-2\.0|CC-BY-4\.0)\b/
  // file-level copyleft, which is allowed because we use these packages unmodified
  const unmodified = /^(@novnc\/novnc|axe-core|lightningcss.*)$/
  // the licence is in a file instead of the manifest (MIT; Apache-2.0)
  const inFile = ['xmlhttprequest-ssl', '@react-aria/optimize-locales-plugin']
  const faults = installed
    .filter(({ name }) => !inFile.includes(name))
    .filter(({ name, license = 'none' }) => !free.test(license) && !(license === 'MPL-2.0' && unmodified.test(name)))
    .map(({ name, license }) => `${name}: ${license}`)
  expect(faults).toEqual([])
  expect(installed.length).toBeGreaterThan(100)
})

test.each([
  ['README.md', 'npm config set registry https://registry.npmjs.org', 'registry'],
  ['package-lock.json', '      "resolved": "https://example.org/a.tgz",', 'lockfile'],
  ['server/src/main.ts', `const data = '/home/somebody/data'`, 'one machine'],
  ['server/src/main.ts', '// TODO', 'TODO'],
  ['server/src/main.ts', '// TODO: later', 'TODO'],
  ['console/src/patterns/list.ts', "link.download = ''", 'download link'],
  ['docs/architecture.md', 'a line\r\nanother', 'CR LF'],
  ['docs/picture.png', `\0${'x'.repeat(600_000)}`, 'bytes'],
])('rejects %s with %j', (file, content, why) => {
  expect(houseFaults(file, Buffer.from(content)).join('\n')).toContain(why)
})

test.each([
  ['server/src/main.ts', '// TODO: answer 404 when the image is gone'],
  ['docs/picture.png', '\0\r\n'],
])('accepts %s with %j', (file, content) => {
  expect(houseFaults(file, Buffer.from(content))).toEqual([])
})
