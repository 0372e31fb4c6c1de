import { expect, test, vi } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { outdatedPackages, registryFault, registryFaultIn } from './dependencies.mjs'

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

test('does not require an installation if the installed packages match the lockfile', () => {
  expect(outdatedPackages(wanted, installed)).toEqual([])
})

test('requires an installation if a version or content differs, or if a package or workspace is missing', () => {
  const zod = (one: object) => ({ ...installed, 'node_modules/zod': one })
  expect(outdatedPackages(wanted, zod({ version: '4.6.6', integrity: 'sha512-a' }))).toEqual(['node_modules/zod'])
  expect(outdatedPackages(wanted, zod({ version: '4.6.7', integrity: 'sha512-x' }))).toEqual(['node_modules/zod'])
  expect(outdatedPackages(wanted, {})).toEqual(['node_modules/@mainstay/server', 'node_modules/zod'])
})

test('reports an unreachable registry immediately, with instructions', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mainstay-registry-'))
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:1/')
  try {
    const began = performance.now()
    expect(await registryFault({ log: path.join(folder, 'log') })).toMatch(
      /the npm registry cannot be reached because it refuses connections\.\nConnect this machine to the network/,
    )
    expect(performance.now() - began).toBeLessThan(15_000)
  } finally {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  }
})

test('treats a registry that returns an error as reachable, and one that times out as unreachable', () => {
  expect(registryFaultIn('npm error code E404\nnpm error 404 Not Found', false)).toBeNull()
  expect(registryFaultIn('npm error code EAI_AGAIN', false)).toBe('the name server does not respond')
  expect(registryFaultIn('', true)).toBe('it does not respond')
})
