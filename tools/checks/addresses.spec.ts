import { expect, test } from 'vitest'
import type { Endpoint } from '../../contract/src/core/endpoint'
import { allEndpoints } from '../../contract/src/resources'
import { readChecklist } from '../lib/checklist.mjs'
import { readText, repositoryFiles } from '../lib/repository.mjs'
import { holdsTests, idsIn, testsIn } from '../lib/test-titles.mjs'

/*
 * Checks the paths in the contract against those in the checklist, because all other tests take their paths from the
 * contract.
 */

const served = new Set(
  Object.values<Record<string, Endpoint>>(allEndpoints).flatMap((calls) =>
    Object.values(calls).map(({ verb, path }) => `${verb} ${path.replaceAll(/:\w+/g, '{}')}`),
  ),
)

/**
 * Finds paths in a text, such as "PATCH or PUT /api/v2/compute/servers/{id}" or "/api/v2/compute/servers/{id}/log".
 * Returns the possible calls for each path.
 */
function callsIn(text: string): string[][] {
  const found = text.matchAll(/((?:\b[A-Z]{3,6}\b(?: or )?)*) ?(\/api\/v2\/[^\s,;()?]*)/g)
  return [...found].map(({ 1: verbs = '', 2: path = '' }) => {
    const plain = path.replace(/[./]+$/, '').replaceAll(/\{\w+\}/g, '{}')
    return (verbs ? verbs.split(' or ') : ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).map((verb) => `${verb} ${plain}`)
  })
}

test('serves every covered call in the checklist at the path that its item names', () => {
  const claimed = new Set(
    repositoryFiles()
      .filter(holdsTests)
      .flatMap((file) => testsIn(file, readText(file)))
      .flatMap(({ title }) => idsIn(title)),
  )
  const named = [...readChecklist().values()]
    .filter(({ id, kind }) => kind === 'call' && claimed.has(id))
    .flatMap(({ id, text }) => callsIn(text).map((calls) => ({ id, calls })))
  expect(named.filter(({ calls }) => !calls.some((call) => served.has(call)))).toEqual([])
  expect(named.length).toBeGreaterThan(20)
})

test('finds paths in a sentence', () => {
  expect(callsIn('PATCH or PUT /api/v2/keys/{id} updates a key.')).toEqual([
    ['PATCH /api/v2/keys/{}', 'PUT /api/v2/keys/{}'],
  ])
  expect(callsIn('GET /api/v2/quotas/{project}/?usage=True answers.')).toEqual([['GET /api/v2/quotas/{}']])
  expect(callsIn('POST upload of an image (under /api/v2/images).')[0]).toContain('POST /api/v2/images')
  expect(callsIn('Requests carry a header.')).toEqual([])
})
