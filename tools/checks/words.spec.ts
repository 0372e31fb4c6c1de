import { expect, test } from 'vitest'
import { isTest, readText, repositoryFiles } from '../lib/repository.mjs'

/* An engine's words stay in its folder: everywhere else things are called what the contract calls them. */

const words = /\b(openstack|nova|keystone|glance|cinder|neutron|octavia|magnum|barbican)\b/i
const elsewhere = /^(contract|console|cli|server\/src|engines\/src\/(?!openstack\/))/
/** The engine is chosen by its name, in these places alone; and this is what clients and guests call things on the wire. */
const choosing = [
  ...['engines/src/compose.ts', 'server/src/config.ts'],
  ...['contract/src/networking/device-owners.ts', 'engines/src/embedded/networking/metadata.ts'],
]
/** Tests on a real cloud say which one. */
const isForTests = (file: string) => isTest(file) || /\/testing\//.test(file)

const said = (text: string) =>
  text
    .replace(/https?:\/\/\S+/g, '')
    .split('\n')
    .flatMap((line, at) => (words.test(line) ? [at + 1] : []))

test('no word of another engine is said outside of its folder', () => {
  const files = repositoryFiles().filter(
    (file) => elsewhere.test(file) && !isForTests(file) && !choosing.includes(file),
  )
  expect(files.flatMap((file) => said(readText(file)).map((line) => `${file}:${line}`))).toEqual([])
  expect(files.length).toBeGreaterThan(500)
})

test('a word is found wherever it stands, but not in an address', () => {
  expect(said("const a = 1\n// as Nova's own\nconst b = 'neutron'")).toEqual([2, 3])
  expect(said('see https://bugs.launchpad.net/nova/+bug/1\nsupernova')).toEqual([])
})
