import { expect, test } from 'vitest'
import { isTest, readText, repositoryFiles } from '../lib/repository.mjs'

/* Terms of an engine may appear only in its folder; other code uses the terms of the contract. */

const words = /\b(openstack|nova|keystone|glance|cinder|neutron|octavia|magnum|barbican)\b/i
const elsewhere = /^(contract|console|cli|server\/src|engines\/src\/(?!openstack\/))/
/** Exceptions: files that select the engine by name, and names in protocols that clients and guests use. */
const choosing = [
  ...['engines/src/compose.ts', 'server/src/config.ts'],
  ...['contract/src/networking/device-owners.ts', 'engines/src/embedded/networking/metadata.ts'],
]
/** Tests and test helpers may name the cloud on which they run. */
const isForTests = (file: string) => isTest(file) || /\/testing\//.test(file)

const said = (text: string) =>
  text
    .replace(/https?:\/\/\S+/g, '')
    .split('\n')
    .flatMap((line, at) => (words.test(line) ? [at + 1] : []))

test('no term of an engine appears outside its folder', () => {
  const files = repositoryFiles().filter(
    (file) => elsewhere.test(file) && !isForTests(file) && !choosing.includes(file),
  )
  expect(files.flatMap((file) => said(readText(file)).map((line) => `${file}:${line}`))).toEqual([])
  expect(files.length).toBeGreaterThan(500)
})

test('finds terms in code and comments, but not in URLs', () => {
  expect(said("const a = 1\n// as Nova's own\nconst b = 'neutron'")).toEqual([2, 3])
  expect(said('see https://bugs.launchpad.net/nova/+bug/1\nsupernova')).toEqual([])
})
