import { expect, test } from 'vitest'
import { outdatedPackages } from './dependencies.mjs'

const wanted = {
  '': { version: '0.1.0' },
  server: { version: '0.1.0' },
  'node_modules/@mainstay/server': { link: true },
  'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' },
  'node_modules/for-windows': { version: '1.0.0', integrity: 'sha512-b', optional: true },
}
const installed = {
  'node_modules/@mainstay/server': { link: true },
  'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' },
}

test('what is installed as the lockfile says needs no installation', () => {
  expect(outdatedPackages(wanted, installed)).toEqual([])
})

test('another version, other content, a missing package and a missing workspace do', () => {
  const zod = (one: object) => ({ ...installed, 'node_modules/zod': one })
  expect(outdatedPackages(wanted, zod({ version: '4.6.6', integrity: 'sha512-a' }))).toEqual(['node_modules/zod'])
  expect(outdatedPackages(wanted, zod({ version: '4.6.7', integrity: 'sha512-x' }))).toEqual(['node_modules/zod'])
  expect(outdatedPackages(wanted, {})).toEqual(['node_modules/@mainstay/server', 'node_modules/zod'])
})
