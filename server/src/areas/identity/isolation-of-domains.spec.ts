import { ANY_PARENT, paramNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { examplesOf, filledIn, kindsIn } from '@mainstay/contract/core/example'
import { domainProperties } from '@mainstay/contract/identity/domain-properties'
import { groups } from '@mainstay/contract/identity/groups'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { projects } from '@mainstay/contract/identity/projects'
import { serviceTokens } from '@mainstay/contract/identity/service-tokens'
import { users } from '@mainstay/contract/identity/users'
import { allEndpoints } from '@mainstay/contract/resources'
import { beforeAll, expect, it } from 'vitest'
import { tier } from '../../../../tools/lib/tier.mjs'
import { operator, server, withDirectory } from '../../testing/directory-fixture'
import type { PersonaName } from '../../testing/personas'

/*
 * No call reveals anything about another domain. Users of `alpha` make every call below a domain with IDs from `beta`:
 * in their own domain, in `beta` and in any domain. No response contains the mark that identifies objects in `beta`,
 * each response equals the one for an unknown ID, and nothing in `beta` changes.
 */

withDirectory()
const MARK = 'secretofbeta'
/** An ID that does not exist. */
const nothing = '00000000-0000-4000-8000-000000000001'

const calls = Object.entries(allEndpoints).flatMap(([resource, table]) =>
  Object.entries(table as Record<string, Endpoint>).flatMap(([name, endpoint]) =>
    endpoint.path.includes('/:domain_id') ||
    resource === 'domains' ||
    resource === 'domainQuotas' ||
    resource === 'loginLinks'
      ? [{ name: `${resource}.${name}`, endpoint }]
      : [],
  ),
)

/** Creates one object of each kind in `beta`, with the mark in its name. */
async function furnishBeta(): Promise<Record<string, string>> {
  const domain_id = server.cast.domains['beta']!.id
  const at = { as: operator, params: { domain_id } } as const
  const text = { name: MARK, description: MARK }
  const { id: project } = await server.call(projects.create, { ...at, body: text })
  const { id: user } = await server.call(users.create, { ...at, body: { ...text, email: `${MARK}@example.com` } })
  const { id: group } = await server.call(groups.create, { ...at, body: text })
  await server.call(groups.addMembers, { ...at, params: { domain_id, id: group }, body: { uuids: [user] } })
  const { id: identity_provider } = await server.call(identityProviders.create, {
    ...at,
    body: { name: MARK, issuer: `https://${MARK}.example`, client_id: MARK, client_secret: `${MARK} secret` },
  })
  const assigned_projects = [{ project_id: project, role: 'service_account' as const }]
  const { id: program } = await server.call(users.create, {
    ...at,
    body: { name: `${MARK}_program`, assigned_projects },
  })
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const { id: token } = await server.call(serviceTokens.create, {
    ...{ as: operator, params: { domain_id, id: program } },
    body: { name: MARK, project_id: project, expires_at },
  })
  await server.call(domainProperties.create, {
    ...{ as: operator, params: { domain_id, key: MARK } },
    body: { access: 'domain', data: { text: MARK } },
  })
  return { project, user, group, identity_provider, program, token, domain: domain_id }
}

/** All rows of domain `beta`. */
const rowsOfBeta = () =>
  server.sql.query(
    `select kind, id, body from resource where body->>'domain_id' = $1 or (kind = 'domain' and id = $1)
      order by kind, id`,
    [server.cast.domains['beta']!.id],
  )

/** Removes the parts of a response that differ between calls. */
const comparable = (text: string) =>
  text
    .replaceAll(/req-[\w-]+/g, 'req')
    .replaceAll(/"revision":\d+/g, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')

const people: readonly PersonaName[] = [
  'domain-admin',
  'domain-admin@alpha-one',
  // in a project, domain administrators have all rights of its members (contract/src/permissions.ts)
  ...(tier === 'gate' ? [] : (['project-member'] as const)),
]

let ids: Record<string, string>
beforeAll(async () => {
  ids = await furnishBeta()
})

const targets = ['project', 'user', 'group', 'identity_provider', 'program', 'domain']

it.each(people)('%s learns nothing about another domain from any call and cannot change anything in it', async (as) => {
  const alpha = server.cast.domains['alpha']!.id
  const beta = ids['domain']!
  const before = await rowsOfBeta()
  const leaks: string[] = []
  let asked = 0
  for (const { name, endpoint } of calls) {
    const names = paramNames(endpoint.path)
    const example = examplesOf(endpoint.body).find((it) => kindsIn(it).length > 0) ?? examplesOf(endpoint.body)[0]
    const hasId = names.some((it) => it !== 'domain_id')
    /** Makes the call. `target` is the kind of an object in `beta`, or null for an ID that does not exist. */
    const ask = async (domain_id: string, target: string | null) => {
      const idOf = (kind: string | null) => (target === null ? nothing : ids[kind ?? target]!)
      const values: Record<string, string> = {
        ...{ domain_id, key: target === null ? 'nosuchkey' : MARK, token_id: idOf('token') },
      }
      const params = Object.fromEntries(names.map((it) => [it, values[it] ?? idOf(null)]))
      const body = filledIn(example ?? {}, (kind) => idOf(kind in ids ? kind : null))
      const response = await server.fetch(endpoint, { as, params, ...(endpoint.body && { body }) } as never)
      asked += 1
      return { status: response.status, text: await response.text() }
    }
    for (const domain_id of names.includes('domain_id') ? [alpha, beta, ANY_PARENT] : [alpha]) {
      // without an ID, a call in the user's own domain returns only that domain's rows
      const isOwn = !hasId && domain_id !== beta
      const absent = isOwn ? null : await ask(domain_id === beta ? nothing : domain_id, null)
      for (const target of hasId ? targets : ['domain']) {
        const answer = await ask(domain_id, target)
        if (answer.text.includes(MARK)) leaks.push(`${name} tells of beta: ${answer.text.slice(0, 200)}`)
        // a rate limit reveals nothing about the object
        if (answer.status === 429 || absent?.status === 429) continue
        if (absent && (absent.status !== answer.status || comparable(absent.text) !== comparable(answer.text)))
          leaks.push(
            `${name} in ${domain_id} tells a foreign ${target} from nothing: ${answer.status} ${answer.text.slice(0, 160)} / ${absent.status} ${absent.text.slice(0, 160)}`,
          )
      }
    }
  }
  expect(leaks.slice(0, 20).join('\n')).toBe('')
  expect(asked).toBeGreaterThan(100)
  expect(await rowsOfBeta()).toEqual(before)
})
