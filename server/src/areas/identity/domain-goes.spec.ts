import { domains } from '@mainstay/contract/identity/domains'
import { groups } from '@mainstay/contract/identity/groups'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { expect, it } from 'vitest'
import { name, operator, refusal, server, withDirectory } from '../../testing/directory-fixture'
import { PASSWORD } from '../../testing/personas'
import { rounds } from '../../../../tools/lib/tier.mjs'

withDirectory()
const as = operator

it('leaves no orphans when objects are created in a domain while it is being deleted', async () => {
  for (let round = 0; round < rounds({ gate: 3, all: 20, long: 200 }); round++) {
    const of = `${name}_${round}`
    const { id: domain_id } = await server.call(domains.create, { as, body: { name: of } })
    const params = { domain_id }
    const provider = { name: of, issuer: `https://${round}.example`, client_id: 'console', client_secret: 'secret' }
    const made = [
      ...['one', 'two'].map((it) =>
        server.call(users.create, { as, params, body: { name: `${it}_${round}`, password: PASSWORD } }),
      ),
      ...['one', 'two'].map((it) => server.call(groups.create, { as, params, body: { name: `${it} ${round}` } })),
      server.call(identityProviders.create, { as, params, body: provider }),
      ...(round % 2 === 0 ? [server.call(projects.create, { as, params, body: { name: of } })] : []),
    ]
    const gone = server.call(domains.delete, { as, params: { id: domain_id }, query: { delete_users: 'true' } })
    const [answer, ...answers] = await Promise.all([gone, ...made].map(refusal))
    const refused = answers.flatMap((it) => (typeof it === 'string' ? [] : [it.code]))
    expect(new Set([...refused, 'not_found'])).toEqual(new Set(['not_found']))
    const rows = await server.sql.query(`select kind from resource where body->>'domain_id' = $1`, [domain_id])
    if (answer === 'no refusal') expect(rows).toEqual([])
    else {
      expect(answer).toMatchObject({ code: 'domain_has_projects' })
      expect(refused).toEqual([])
    }
  }
})
