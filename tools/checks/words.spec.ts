import { expect, test } from 'vitest'
import { isTest, readText, repositoryFiles } from '../lib/repository.mjs'

/* Engine-specific terms may appear only in the engine's own folder; other code uses the contract's terms. */

const words = /\b(openstack|nova|keystone|glance|cinder|neutron|octavia|magnum|barbican)\b/i
const elsewhere = /^(contract|console|cli|server\/src|engines\/src\/(?!openstack\/))/
/** Exceptions: files that select an engine by name, and names in protocols that clients and guests use. */
const choosing = [
  ...['engines/src/compose.ts', 'server/src/config.ts'],
  ...['contract/src/networking/device-owners.ts', 'engines/src/embedded/networking/metadata.ts'],
]
/** Tests and test helpers may name the cloud that they run on. */
const isForTests = (file: string) => isTest(file) || /\/testing\//.test(file)

const said = (text: string) =>
  text
    .replace(/https?:\/\/\S+/g, '')
    .split('\n')
    .flatMap((line, at) => (words.test(line) ? [at + 1] : []))

test("no engine-specific term appears outside the engine's folder", () => {
  const files = repositoryFiles().filter(
    (file) => elsewhere.test(file) && !isForTests(file) && !choosing.includes(file),
  )
  expect(files.flatMap((file) => said(readText(file)).map((line) => `${file}:${line}`))).toEqual([])
  expect(files.length).toBeGreaterThan(500)
})

test('finds terms in code and in comments, but not in URLs', () => {
  expect(said("const a = 1\n// as Nova's own\nconst b = 'neutron'")).toEqual([2, 3])
  expect(said('see https://bugs.launchpad.net/nova/+bug/1\nsupernova')).toEqual([])
})
