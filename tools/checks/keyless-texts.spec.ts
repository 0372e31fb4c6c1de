import { expect, test } from 'vitest'
import { messages } from '../../contract/src/messages'
import { isCode, isTest, readText, repositoryFiles } from '../lib/repository.mjs'
import { keylessTexts, notYet } from './keyless-texts'

const code = repositoryFiles().filter(
  (file) =>
    /^(contract|engines|server)\/src\//.test(file) &&
    isCode(file) &&
    !isTest(file) &&
    !/\/(testing|conformance)\//.test(file),
)
const found = code.flatMap((file) => keylessTexts(file, readText(file)))

test('every error message comes from the contract', () => {
  expect(code.length).toBeGreaterThan(1000)
  expect(found.filter((fault) => !notYet.some((file) => fault.startsWith(`${file}:`)))).toEqual([])
})

test('the list of exceptions contains only files that have English messages', () => {
  expect(notYet.filter((file) => !found.some((fault) => fault.startsWith(`${file}:`)))).toEqual([])
})

test('every message in the contract is used', () => {
  const said = new Set(
    repositoryFiles()
      .filter((file) => /^(contract|engines|server|console)\/src\//.test(file) && isCode(file) && !isTest(file))
      .flatMap((file) => [...readText(file).matchAll(/'(\w+\.\w+)'/g)].map(([, key]) => key)),
  )
  const keys = Object.entries(messages).flatMap(([area, all]) => Object.keys(all).map((name) => `${area}.${name}`))
  // keys for alert messages are built from the alert type
  expect(keys.filter((key) => !said.has(key) && !key.startsWith('monitoring.alert_'))).toEqual([])
  expect(keys.length).toBeGreaterThan(500)
})

test.each([
  ['server/src/a.ts', "throw new Problem('conflict', 'This is in use')", 1],
  ['server/src/a.ts', 'throw invalidState(`The volume is ${status}`, status)', 1],
  ['server/src/a.ts', "throw new Error('Nobody calls this with nothing')", 0],
  ['server/src/a.ts', "throw problem('core.not_found')", 0],
  ['contract/src/a.ts', "export const Name = z.string().min(1, 'Enter a name')", 1],
  ['contract/src/a.ts', "context.addIssue({ code: 'custom', message: 'Enter a name' })", 1],
  ['contract/src/a.ts', "export const Name = z.string().min(1, says('core.enter_name'))", 0],
  ['contract/src/a.ts', "export const Name = z.string().describe('What people call it')", 0],
])('checks the text in %s: %s', (file, source, count) => {
  expect(keylessTexts(file, source)).toHaveLength(count)
})
