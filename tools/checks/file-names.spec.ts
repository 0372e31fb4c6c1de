import path from 'node:path'
import { expect, test } from 'vitest'
import { readText, repositoryFiles } from '../lib/repository.mjs'
import { nameFault } from './file-names'

const sourceFile = /^(contract|engines|server|console|cli|e2e|bench|tools)\/.*\.(ts|tsx|mjs|js|css)$/

test('every source file follows the naming rules', () => {
  const all = new Set(repositoryFiles())
  const files = [...all].filter((file) => sourceFile.test(file))
  const faults = files.flatMap(
    (file) =>
      nameFault(
        file,
        () => readText(file),
        (other) => all.has(other),
      ) ?? [],
  )
  expect(faults).toEqual([])
  expect(files.length).toBeGreaterThan(20)
})

test('folders have at most 40 files, and files other than specs at most 350 lines (decision 0031)', () => {
  const files = repositoryFiles().filter((file) => sourceFile.test(file))
  const inFolder = new Map<string, number>()
  for (const folder of files.map(path.posix.dirname)) inFolder.set(folder, (inFolder.get(folder) ?? 0) + 1)
  const crowded = [...inFolder].filter(([, many]) => many > 40).map(([folder]) => folder)
  const isSpec = (file: string) => /\.(spec|e2e)\.tsx?$/.test(file)
  const long = files.filter((file) => !isSpec(file) && readText(file).trimEnd().split('\n').length > 350)
  expect({ crowded, long }).toEqual({ crowded: [], long: [] })
})

const faultOf = (file: string, source = '') =>
  nameFault(
    file,
    () => source,
    (other) => other === 'console/src/ui/Button.tsx',
  )

test.each([
  ['server/src/http/serveCalls.ts', 'kebab-case'],
  ['server/src/http/serve_calls.ts', 'kebab-case'],
  ['server/src/Server.ts', 'Server.tsx is none'],
  ['console/src/ui/index.ts', 'no barrel files'],
  ['server/src/utils.ts', '"utils" says nothing'],
  ['server/src/helpers/serve.ts', '"helpers" says nothing'],
  ['server/src/task-manager.ts', '"manager" says nothing'],
  ['console/src/ui/overlays/Dialog.tsx', 'exports no component Dialog'],
  ['console/src/ui/overlays/Dialog.module.css', 'Dialog.tsx is none'],
])('rejects %s', (file, why) => {
  expect(faultOf(file, 'export const Other = 1')).toContain(why)
})

test.each([
  ['server/src/areas/networking/routers.routes.ts'],
  ['console/src/ui/Button.module.css'],
  ['console/src/ui/Button.spec.tsx'],
  ['console/src/main.tsx'],
  ['e2e/compute/instance-console.e2e.ts'],
])('accepts %s', (file) => {
  expect(faultOf(file)).toBeNull()
})

test('accepts a component as a named or default export', () => {
  expect(faultOf('console/src/ui/overlays/Menu.tsx', 'export function Menu() {}')).toBeNull()
  expect(faultOf('console/src/ui/overlays/Menu.tsx', 'export default function Menu() {}')).toBeNull()
  expect(faultOf('console/src/ui/overlays/Menu.tsx', 'const Menu = 1\nexport { Menu }')).toBeNull()
})
