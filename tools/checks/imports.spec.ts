import { describe, expect, test } from 'vitest'
import { readText, repositoryFiles } from '../lib/repository.mjs'
import { checkCycles, checkImports, partOf } from './imports'
import { embeddedFolders } from './embedded-folders'
import { parts } from './layout'

const layoutFolders = /^(contract|engines|server|console|cli|e2e|bench|tools)\/|^[^/]+\.config\.ts$/
const sources = new Map(
  repositoryFiles()
    .filter((file) => layoutFolders.test(file) && /\.(ts|tsx|mjs|js|css|json)$/.test(file))
    .map((file) => [file, readText(file)]),
)

describe('the repository', () => {
  test('contains only imports that the layout allows', () => {
    const { looked, faults } = checkImports(sources)
    expect(faults).toEqual([])
    expect(looked).toBeGreaterThan(20)
  })

  test('contains no import cycles', () => {
    const { looked, faults } = checkCycles(sources)
    expect(faults).toEqual([])
    expect(looked).toBeGreaterThan(20)
  })

  test('refers only to parts that are defined in the layout', () => {
    const names = parts.map(({ name }) => name)
    const unknown = parts
      .flatMap(({ may }) => may)
      .filter((one) => !names.some((name) => `${name}/`.startsWith(`${one}/`)))
    expect(unknown).toEqual([])
  })

  test('folders in the embedded engine import only folders above them in the table', () => {
    const order = Object.keys(embeddedFolders)
    const upward = Object.entries(embeddedFolders).flatMap(([folder, may]) =>
      may.filter((other) => !order.slice(0, order.indexOf(folder)).includes(other)).map((other) => [folder, other]),
    )
    expect(upward).toEqual([])
  })
})

const faultsIn = (files: Record<string, string>) => checkImports(new Map(Object.entries(files))).faults

describe('the import check', () => {
  test('reports a forbidden import together with the allowed parts', () => {
    const faults = faultsIn({
      'console/src/ui/Button.tsx': `import { paths } from '../nav/paths'\nexport const Button = () => <b>it's {paths}</b>`,
      'console/src/nav/paths.ts': 'export const paths = 1',
    })
    expect(faults).toEqual([
      'console/src/ui/Button.tsx:1 imports console/src/nav/paths.ts; allowed from console/ui: console/ui, console/themes, console/lib',
    ])
  })

  test.each([
    ['a type', `import type { A } from '@mainstay/server/app'`],
    ['an inline type', `let a: import('@mainstay/server/app').A`],
    ['a re-export', `export { a } from '@mainstay/server/app'`],
    ['a star re-export', `export * from '@mainstay/server/app'`],
    ['loading on demand', `const a = () => import('@mainstay/server/app')`],
    ['a template', 'const a = () => import(`@mainstay/server/app`)'],
    ['an import over several lines', `import {\n  a, // import { b } from './b'\n} from\n  '@mainstay/server/app'`],
  ])('%s counts as an import', (_, source) => {
    const faults = faultsIn({ 'contract/src/core/names.ts': source, 'server/src/app.ts': 'export type A = 1' })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain('imports server/src/app.ts; allowed from contract/core: contract/core')
  })

  test('ignores imports in comments and strings', () => {
    const source = `// import a from '@mainstay/server/app'\nexport const text = "import a from '@mainstay/server/app'"`
    expect(faultsIn({ 'contract/src/core/names.ts': source, 'server/src/app.ts': '' })).toEqual([])
  })

  test('allows imports between screens only in the same area', () => {
    const files = { 'console/src/areas/storage/volumes/VolumeStatus.tsx': 'export const VolumeStatus = 1' }
    const from = (file: string) =>
      faultsIn({
        ...files,
        [file]: `import { VolumeStatus } from '@mainstay/console/areas/storage/volumes/VolumeStatus'`,
      })
    expect(from('console/src/areas/compute/instances/parts.ts')[0]).toContain('of another area')
    expect(from('console/src/areas/storage/snapshots/parts.ts')).toEqual([])
  })

  test('allows only services to be imported from another server area', () => {
    const files = {
      'server/src/areas/storage/volumes.service.ts': '',
      'server/src/areas/storage/volumes.routes.ts': '',
    }
    const from = (target: string) =>
      faultsIn({ ...files, 'server/src/areas/compute/instances.service.ts': `import '../storage/${target}'` })
    expect(from('volumes.routes')[0]).toContain('of another area')
    expect(from('volumes.service')).toEqual([])
  })

  test('allows only zod in the contract, as a namespace import', () => {
    const faults = faultsIn({
      'contract/src/core/names.ts': `import fs from 'node:fs'\nimport * as z from 'zod'`,
      'contract/src/core/bytes.ts': `import { z } from 'zod'`,
    })
    expect(faults).toEqual([
      'contract/src/core/names.ts:1 imports the package node:fs; contract/core may not',
      "contract/src/core/bytes.ts:1 imports names of zod; write import * as z from 'zod'",
    ])
  })

  test('allows the server test helpers in specs, but not in other code', () => {
    const files = { 'server/src/testing/start-server.ts': 'export const start = 1' }
    const source = `import '@mainstay/server/testing/start-server'`
    expect(faultsIn({ ...files, 'engines/src/embedded/compute/images/images.spec.ts': source })).toEqual([])
    expect(faultsIn({ ...files, 'engines/src/embedded/compute/images/commands.ts': source })).toHaveLength(1)
  })

  test('forbids reverse imports between folders in the embedded engine, except in specs', () => {
    const files = {
      'engines/src/embedded/storage/volumes/commands.ts': `import '../../compute/capacity'`,
      'engines/src/embedded/compute/capacity.ts': '',
    }
    const source = `import '../storage/volumes/commands'`
    expect(faultsIn({ ...files, 'engines/src/embedded/compute/stat.spec.ts': source })).toEqual([])
    expect(faultsIn({ ...files, 'engines/src/embedded/compute/stat.ts': source })).toEqual([
      expect.stringContaining('storage/volumes/commands.ts; allowed from engines/embedded/compute'),
    ])
    expect(faultsIn({ 'engines/src/embedded/new-folder/a.ts': '' })[0]).toContain('in no part of the layout')
  })

  test('reports files outside the layout, missing targets and syntax errors', () => {
    expect(faultsIn({ 'server/src/helpers/a.ts': '' })[0]).toContain('in no part of the layout')
    expect(faultsIn({ 'bench/a.ts': `import './gone'` })).toEqual([
      'bench/a.ts:1 imports bench/gone, which does not exist',
    ])
    expect(() => faultsIn({ 'bench/a.ts': 'import {' })).toThrow('bench/a.ts')
  })

  test('reports a cycle of three files once, and does not report a chain of three files', () => {
    const ring = (last: string) =>
      checkCycles(
        new Map([
          ['bench/a.ts', `import './b'`],
          ['bench/b.ts', `import type { C } from './c'`],
          ['bench/c.ts', last],
        ]),
      ).faults
    expect(ring('export type C = 1')).toEqual([])
    expect(ring(`export type C = 1; import './a'`)).toHaveLength(1)
  })

  test('counts no files for an empty set of sources', () => {
    expect(checkImports(new Map()).looked).toBe(0)
    expect(partOf('nowhere/a.ts')).toBeUndefined()
  })
})
