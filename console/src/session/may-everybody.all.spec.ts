import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { explanations } from '@mainstay/contract/identity/explanations'
import { session } from '@mainstay/contract/identity/session'
import type { Persona, PersonaName } from '../../../server/src/testing/personas'
import { everyCall, isRefused } from '../../../server/src/testing/refused-calls'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { allows } from './may'

/* Checks every contract call for every persona. `rights-agree.spec.ts` covers each role on its own. */

const people: readonly PersonaName[] = [
  'superuser',
  'superuser@alpha-one',
  'viewer',
  'compute-operator',
  'compute-operator@alpha-one',
  'domain-admin',
  'domain-admin@alpha-one',
  'project-admin',
  'project-member',
  'service-account',
  'other-member',
]

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
// one of the calls disables object storage for everyone
beforeEach(() => server.tools.ports['object-storage'].setAvailable(true))

/** Requests, as an operator, an explanation of whether the persona may make the call. */
function explained(as: PersonaName, call: string) {
  const [persona, projectName] = as.split('@') as [Persona, string | undefined]
  const { user, project } = server.cast.people[persona]
  const project_id = (projectName ? server.cast.projects[projectName] : project)?.id
  return server.call(explanations.explain, { as: 'superuser', query: { call, user_id: user.id, project_id } })
}

/**
 * Whether to also check the explanation: for the first call with each permission as every persona, and for each other
 * call as one persona.
 */
const isAsked = (as: PersonaName, at: number): boolean =>
  at % people.length === people.indexOf(as) ||
  everyCall.findIndex(({ endpoint }) => isDeepStrictEqual(endpoint.needs, everyCall[at]!.endpoint.needs)) === at

it.each(people)(
  'for %s, the console shows exactly the calls that the server allows, and the explanation agrees',
  { timeout: 120_000 },
  async (as) => {
    const meta = await server.call(session.meta, { as })
    const disagreeing: string[] = []
    let hidden = 0
    for (const [at, { name, endpoint }] of everyCall.entries()) {
      const isShown = allows(meta, endpoint.needs)
      if (!isShown) hidden += 1
      const isAllowed = !(await isRefused(server, as, endpoint))
      if (isShown !== isAllowed) disagreeing.push(`${name} is ${isShown ? 'shown' : 'hidden'}`)
      if (!isAsked(as, at)) continue
      const said = await explained(as, name)
      if (said.allowed !== isAllowed)
        disagreeing.push(`${name} is explained as ${said.allowed ? 'allowed' : 'refused'}`)
      if (said.allowed && said.would_allow.length > 0) disagreeing.push(`${name} is allowed, and wants a role`)
    }
    expect(disagreeing).toEqual([])
    expect(everyCall.length - hidden).toBeGreaterThan(10)
  },
)
