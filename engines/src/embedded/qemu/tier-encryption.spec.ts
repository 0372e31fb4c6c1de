import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { folderEncryption } from './tier-encryption'

it('reports why the data folder of a host cannot be encrypted, and that there are no other tiers', async () => {
  const { read, whyFixed, set } = folderEncryption(tmpdir())
  expect(Object.keys(await read())).toEqual(['tier0', 'tier1', 'tier2', 'tier3'])
  expect(whyFixed('tier0')).toContain('tier_is_folder')
  expect(whyFixed('tier3')).toContain('tier_missing')
  await expect(set({ tier0: true })).rejects.toMatchObject({ code: 'unsupported' })
})
