import { expect, test } from 'vitest'
import { variableDefaults } from '../../server/src/config'
import { isKnownVariable } from '../../server/src/unknown-variables'
import { readText, repositoryFiles } from '../lib/repository.mjs'

/* Checks that docs/settings.md contains each server setting once, with its default. */

const rows = readText('docs/settings.md')
  .split('\n')
  .flatMap((line) => {
    const [, name, shown] = /^\| `([A-Z0-9_]+)` \| (.*?) \|/.exec(line) ?? []
    return name === undefined || shown === undefined ? [] : [{ name, shown }]
  })

test("docs/settings.md lists exactly the server's settings", () => {
  expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(variableDefaults).toSorted())
})

test('docs/settings.md and the code have the same defaults', () => {
  const differing = rows.flatMap(({ name, shown }) => {
    const value = variableDefaults[name]
    const isPlain = typeof value === 'string' || typeof value === 'number'
    return isPlain && shown !== `\`${value}\`` ? [`${name}: ${shown}, in code ${value}`] : []
  })
  expect(differing).toEqual([])
})

test('every MAINSTAY_ variable in the repository is known, so that the server does not warn about it', () => {
  const unknown = repositoryFiles()
    .filter((file) => /\.(ts|tsx|mjs|sh)$/.test(file) && !/unknown-variables|terminal\.spec/.test(file))
    .flatMap((file) => [...readText(file).matchAll(/\bMAINSTAY_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name))
    .filter((name) => !isKnownVariable(name))
  expect([...new Set(unknown)]).toEqual([])
})
