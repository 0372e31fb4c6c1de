import { examplesOf, filledIn } from '@mainstay/contract/core/example'
import { paramNames } from '@mainstay/contract/core/endpoint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tier } from '../../../tools/lib/tier.mjs'
import { actionOf, isAct } from '../http/acts'
import { allRoutes } from '../modules'
import { startServer, type TestServer } from '../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const nothing = '00000000-0000-4000-8000-000000000001'
const callers = ['superuser', 'project-member'] as const
const reads = (verb: string, needs: unknown) => verb === 'GET' || (needs as { ability?: string }).ability === 'read'

test('records each call that changes something, opens a console or downloads a file, with any result', async () => {
  const left: string[] = []
  let asked = 0
  for (const [at, one] of allRoutes.entries()) {
    const { endpoint, name } = one
    // these calls would end the session that the other calls use
    if (name === 'logout' || name === 'logoutAtProvider') continue
    const params = Object.fromEntries(paramNames(endpoint.path).map((param) => [param, nothing]))
    const [example] = examplesOf(endpoint.body)
    // an invalid body from an anonymous caller is not recorded (audit.spec.ts)
    const made = name === 'login' ? { username: 'nobody', password: 'wrong' } : example
    const body = endpoint.body && filledIn(made ?? {}, () => nothing)
    // in the gate, the two callers take turns
    for (const as of tier === 'gate' ? [callers[at % 2]!] : callers) {
      const response = await server.fetch(endpoint, { as, params, ...(body !== undefined && { body }) } as never)
      await response.arrayBuffer()
      const lines = await server.sql.query<{ action: string; status: number }>(
        'select action, status from audit where request_id = $1',
        [response.headers.get('x-request-id')],
      )
      const isUnreadable = endpoint.needs === 'public' && endpoint.body !== undefined && response.status === 400
      // anyone can send wrong tokens, and must not be able to fill the log with them
      const isRefusedHost = actionOf(one) === 'node_registration.register' && response.status === 403
      const isToldOf = isAct(endpoint) && !isUnreadable && !isRefusedHost
      const expected = isToldOf ? [{ action: actionOf(one), status: response.status }] : []
      if (JSON.stringify(lines) !== JSON.stringify(expected))
        left.push(`${actionOf(one)} as ${as}: ${response.status}, ${JSON.stringify(lines)}`)
      if (isToldOf) asked++
    }
  }
  expect(left).toEqual([])
  expect(asked).toBeGreaterThan(80)
})

test('omits only read-only calls', () => {
  const silent = allRoutes.filter(({ endpoint }) => !isAct(endpoint))
  const changesNothing = [
    // these calls change only the session in which the caller reads files; opening it and the downloads are recorded
    ...['volume_backup_files.close', 'volume_backup_files.prepareArchive'],
    // a dry run
    'bulk_run.check',
  ]
  expect(silent.filter(({ endpoint: { verb, needs } }) => !reads(verb, needs)).map(actionOf)).toEqual(changesNothing)
  // these documents contain no data of the installation
  const documents = ['node_registration.script', 'snmp.mib']
  expect(silent.filter(({ endpoint: { bytes } }) => bytes !== undefined).map(actionOf)).toEqual(documents)
})
