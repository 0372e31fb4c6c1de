import { expect, test } from 'vitest'
import { readText, repositoryFiles } from '../lib/repository.mjs'
import { unusedRules } from './unused-rules'

const code = /^(contract|engines|server|console|cli|e2e|bench|tools)\/.*\.(ts|tsx|mjs|js|css|json)$/

test('no product export is used only by tests', () => {
  const sources = new Map(
    repositoryFiles()
      .filter((file) => code.test(file))
      .map((file) => [file, readText(file)]),
  )
  const { looked, faults } = unusedRules(sources)
  expect(faults).toEqual([])
  expect(looked).toBeGreaterThan(1000)
})

const faultsIn = (files: Record<string, string>) => unusedRules(new Map(Object.entries(files))).faults
const rule = 'contract/src/core/names.ts'
const spec = { 'contract/src/core/names.spec.ts': `import { Username } from './names'` }

test('reports an export that only tests, benches or test helpers import', () => {
  const fault = [`${rule}:1 exports Username, which only tests import`]
  const files = { [rule]: 'export const Username = 1' }
  expect(faultsIn({ ...files, ...spec })).toEqual(fault)
  const importing = `import { Username } from '@mainstay/contract/core/names'`
  for (const file of ['bench/a.bench.ts', 'e2e/a.e2e.ts', 'server/src/testing/a.ts', 'engines/src/conformance/a.ts'])
    expect(faultsIn({ ...files, [file]: importing }), file).toEqual(fault)
})

test('accepts an export that the product imports, loads, re-exports or uses in the same file', () => {
  const files = { [rule]: 'export const Username = 1', ...spec }
  for (const source of [
    `import { Username } from '@mainstay/contract/core/names'`,
    `import * as names from '@mainstay/contract/core/names'`,
    `export { Username } from '@mainstay/contract/core/names'`,
    `export const load = () => import('@mainstay/contract/core/names')`,
  ])
    expect(faultsIn({ ...files, 'server/src/main.ts': source }), source).toEqual([])
  expect(faultsIn({ [rule]: 'export const Username = 1\nexport const twice = Username + 1', ...spec })).toEqual([])
})

test('does not count a type with the same name as a use', () => {
  const source = `export const Username = z.string()\nexport type Username = z.infer<typeof Username>`
  expect(faultsIn({ [rule]: source, ...spec })).toHaveLength(1)
})
