import { domains } from '@mainstay/contract/identity/domains'
import { projectKind } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { userKind, users } from '@mainstay/contract/identity/users'
import { openStore } from '../server/src/store/store'
import { apiClient, signIn } from '../server/src/testing/api-client'
import { ADMIN_PASSWORD, startProgram } from '../server/src/testing/server-program'
import { silentLogger } from '../server/src/testing/silent-logger'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'
import { openReader, type Reader } from './support/requests'

const MANY = 10_000
const MEMBERS = 2_000
const ROUNDS = quick ? 5 : 21
const SIGN_INS_PER_SECOND = 10
const SIGN_IN_SECONDS = quick ? 5 : 30
const PASSWORD = 'correct horse 12'
const boss = { username: 'boss', password: PASSWORD, domain: 'crowd' }

/* Measures lists and sign-ins in a domain with 10 000 users and 10 000 projects, one of which has 2 000 members. */
export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const folder = await newFolder()
    await fill(folder)
    const program = await startProgram({ folder, readyWithinMs: 600_000 })
    try {
      const { token } = await signIn(program.url, boss)
      const reader = openReader(program.url, token)
      try {
        const { domain_id } = await apiClient(program.url, token).call(session.whoami)
        const path = `/api/v2/domains/${domain_id}`
        const { answer } = await reader.get<{ data: { id: string }[] }>(`${path}/projects?name=crowded`)
        const crowded = answer.data[0]!.id
        return [
          ...(await lists(reader, 'users', `${path}/users`, userKind.sortKeys, [
            'role=project_member',
            'enabled=false',
            'name=some_99',
            `project_id=${crowded}`,
            'search=some_77',
          ])),
          ...(await lists(reader, 'projects', `${path}/projects`, projectKind.sortKeys, [
            'enabled=true',
            'name=project 99',
            'search=project 77',
          ])),
          await signIns(program.url),
        ]
      } finally {
        reader.close()
      }
    } finally {
      await program.stop()
    }
  })
}

/** Inserts the rows directly into the database. The server lists them after its next start. */
async function fill(folder: string): Promise<void> {
  const program = await startProgram({ folder })
  const api = await signIn(program.adminUrl, { username: 'admin', password: ADMIN_PASSWORD })
  const { id } = await api.call(domains.create, { body: { name: boss.domain } })
  const { username: name, password } = boss
  await api.call(users.create, {
    params: { domain_id: id },
    body: { name, password, domain_permissions: ['domain_admin'] },
  })
  await program.stop()
  const store = await openStore({ databaseUrl: null, dataFolder: folder, log: silentLogger })
  const run = (text: string, ...values: unknown[]) => store.pool.query(text, values)
  await run(
    `insert into identity_user (id, domain_id, name, email, enabled, roles, password)
      select gen_random_uuid()::text, $1, 'some_' || n, 'some' || n || '@example.com', n % 50 > 0, '{}',
        (select password from identity_user where domain_id = $1 and name = 'boss')
      from generate_series(1, $2::int) n`,
    id,
    MANY,
  )
  await run(
    `insert into identity_project (id, domain_id, name)
      select gen_random_uuid()::text, $1, case when n = 1 then 'crowded' else 'project ' || n end
      from generate_series(1, $2::int) n`,
    id,
    MANY,
  )
  // each user is a member of one project; the first `MEMBERS` users are also members of the large project
  await run(
    `with u as (select id, row_number() over (order by id) as n from identity_user where domain_id = $1),
        p as (select id, row_number() over (order by name = 'crowded', id) as n from identity_project where domain_id = $1)
      insert into identity_assignment (user_id, project_id, role)
        select u.id, p.id, 'project_member' from u join p on p.n = u.n where p.n < $2
        union all select u.id, p.id, 'project_member' from u cross join p where p.n = $2 and u.n <= $3`,
    id,
    MANY,
    MEMBERS,
  )
  await run('vacuum analyze')
  await store.close()
}

/** Measures the list with every sort order and every filter, and reports the slowest combination. */
async function lists(
  reader: Reader,
  what: string,
  path: string,
  sortKeys: object,
  conditions: readonly string[],
): Promise<Row[]> {
  const queries = [...Object.keys(sortKeys).flatMap((name) => [`sort=${name}:asc`, `sort=${name}:desc`]), ...conditions]
  const measured: number[][] = []
  for (const query of queries) {
    const times: number[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const { ms } = await reader.get(`${path}?${query}&limit=50&with_count=true`)
      if (round > 0) times.push(ms)
    }
    measured.push(times)
  }
  const slowest = (share: number) => Math.max(...measured.map((times) => quantile(times, share)))
  return [
    { name: `directory, ${what} of 10 000: slowest list, p95`, unit: 'ms', value: slowest(0.95) },
    { name: `directory, ${what} of 10 000: slowest list, median`, unit: 'ms', value: slowest(0.5) },
  ]
}

/** Starts ten sign-ins per second without waiting for earlier ones to finish. */
async function signIns(url: string): Promise<Row> {
  const times: Promise<number>[] = []
  const began = performance.now()
  for (let at = 0; at < SIGN_INS_PER_SECOND * SIGN_IN_SECONDS; at++) {
    const wait = began + (at * 1000) / SIGN_INS_PER_SECOND - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    // every fiftieth user is disabled
    const username = `some_${String(((50 * at) % MANY) + 1)}`
    const from = performance.now()
    const signedIn = signIn(url, { username, password: PASSWORD, domain: boss.domain })
    // a rejected sign-in counts as infinitely slow
    times.push(
      signedIn.then(
        () => performance.now() - from,
        () => Infinity,
      ),
    )
  }
  return { name: 'directory: sign-in at 10 a second, p95', unit: 'ms', value: quantile(await Promise.all(times), 0.95) }
}
